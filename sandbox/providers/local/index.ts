export { openLocalProvider, type LocalProvider, type LocalProviderOptions } from "./provider.ts";
