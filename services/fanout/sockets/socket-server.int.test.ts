import { describe, expect, it } from "vitest";
import { loadUws } from "./load-uws.ts";
import { describeSocketServer } from "../testing/socket-server-contract.ts";
import { openUwsServer } from "./uws-adapter.ts";
import { openWsServer } from "./ws-adapter.ts";

const { native } = loadUws();

describeSocketServer("ws", openWsServer);

if (native) {
  describeSocketServer("uWebSockets.js", (options) => openUwsServer(native, options));
}

describe("loading uWebSockets.js", () => {
  it("says why when no native build fits, instead of taking the imitation", () => {
    const probe = loadUws({ platform: process.platform, arch: process.arch, abi: "1" });
    expect(probe).toEqual({ native: null, reason: expect.stringContaining("_1.node") as string });
  });

  it.runIf(
    process.versions.modules === "115" && process.platform === "linux" && process.arch === "x64",
  )("finds the native build of Node 20 on Linux", () => {
    expect(native).not.toBeNull();
  });
});
