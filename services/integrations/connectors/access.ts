/** What the connectors of organisations are kept and made with. */
import { openLeases } from "#event-store/leases/leases";
import type { Platform } from "../../platform.ts";
import { openSecrets } from "../../secrets/secrets.ts";
import type { Outbound } from "../outbound/outbound.ts";
import type { ConnectorsDeps } from "./commands.ts";
import { createAccessTokens } from "./oauth/access-tokens.ts";
import type { OpenConnectorDeps } from "./open-connector.ts";

/** Where connectors are kept, and who of several processes works on them. */
export type ConnectorHome = Pick<Platform, "store" | "sql" | "keys" | "instance">;

export type ConnectorAccess = ConnectorsDeps & OpenConnectorDeps;

/** @param outbound stays the caller's to close */
export const openConnectorAccess = async (
  { store, sql, keys, instance }: ConnectorHome,
  outbound: Outbound,
): Promise<ConnectorAccess> => {
  const secrets = await openSecrets(sql, keys.secretWrapping);
  const leases = await openLeases(store, "runtime");
  const clock = (): Date => new Date();
  const accessTokens = createAccessTokens({ secrets, outbound, leases, instance, clock });
  return { store, secrets, outbound, accessTokens };
};
