/**
 * The one module that knows where uWebSockets.js comes from. Its npm package falls back to a
 * JavaScript imitation that throws "Not implemented" for most of the API, so the native build is
 * loaded by its own name and the package's entry is never run.
 */
import { createRequire } from "node:module";
import type * as Uws from "@trufflesuite/uws-js-unofficial";

export type UwsModule = Pick<typeof Uws, "App" | "us_listen_socket_close" | "us_socket_local_port">;

export type UwsProbe =
  | { readonly native: UwsModule }
  | { readonly native: null; /** Why, for the log. */ readonly reason: string };

/** The runtime that a native build has to fit: Node's ABI number, platform and architecture. */
export interface Runtime {
  readonly platform: string;
  readonly arch: string;
  readonly abi: string;
}

const thisRuntime: Runtime = {
  platform: process.platform,
  arch: process.arch,
  abi: process.versions.modules,
};

/** Loads the native build for this runtime, or says why there is none. Never throws. */
export const loadUws = ({ platform, arch, abi }: Runtime = thisRuntime): UwsProbe => {
  const build = `uws_${platform}_${arch}_${abi}.node`;
  try {
    const load = createRequire(import.meta.url);
    const loaded: unknown = load(`@trufflesuite/uws-js-unofficial/binaries/${build}`);
    return isUws(loaded)
      ? { native: loaded }
      : { native: null, reason: `${build} is not uWebSockets.js` };
  } catch (error) {
    // No build for this runtime, or one that needs a newer C library: both are what the probe is for.
    return { native: null, reason: error instanceof Error ? error.message : String(error) };
  }
};

const isUws = (loaded: unknown): loaded is UwsModule =>
  typeof loaded === "object" &&
  loaded !== null &&
  ["App", "us_listen_socket_close", "us_socket_local_port"].every(
    (name) => typeof (loaded as Record<string, unknown>)[name] === "function",
  );
