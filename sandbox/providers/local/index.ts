export { openLocalProvider, type LocalProvider } from "./provider.ts";
