export { openE2bProvider, type E2bProvider } from "./provider.ts";
export type { E2bSettings } from "./settings.ts";
