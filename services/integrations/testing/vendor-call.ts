/** A vendor's source against a local server, as tests call it. */
import { newId } from "#contracts/ids";
import type { ActionContext } from "../../actions/sources/source.ts";
import { createOutbound, type Outbound } from "../outbound/outbound.ts";
import { proveCredentials } from "../vendor/prove-credentials.ts";
import { createVendorSource, type Vendor } from "../vendor/vendor.ts";
import { type LocalServer, startLocalServer } from "./local-server.ts";

export const contextOf = (signal = new AbortController().signal): ActionContext => {
  const invocationId = newId("invocation");
  return {
    invocationId,
    sessionId: newId("session"),
    organizationId: newId("organization"),
    signal,
    idempotencyKey: invocationId,
  };
};

export interface VendorWorld {
  readonly server: LocalServer;
  readonly outbound: Outbound;
  /** Asks the server whether it takes the token. */
  prove(vendor: Vendor, patienceMs?: number): Promise<void>;
  /** Executes an action of the vendor against the server. */
  run(vendor: Vendor, action: string, params: Record<string, unknown>): Promise<unknown>;
  close(): Promise<void>;
}

export const startVendorWorld = async (token = "a-token-of-tests"): Promise<VendorWorld> => {
  const server = await startLocalServer();
  const outbound = createOutbound({ allowedNetworks: ["127.0.0.1/32"] });
  const credentials = { token, baseUrl: server.url };
  const prove: VendorWorld["prove"] = (vendor, patienceMs) =>
    proveCredentials(vendor, { outbound, credentials, ...(patienceMs && { patienceMs }) });
  return {
    server,
    outbound,
    prove,
    run: (vendor, action, params) =>
      createVendorSource(vendor, {
        outbound,
        credentials: () => Promise.resolve(credentials),
        check: () => prove(vendor),
      }).execute(action, params, contextOf()),
    close: async () => {
      await outbound.close();
      await server.close();
    },
  };
};
