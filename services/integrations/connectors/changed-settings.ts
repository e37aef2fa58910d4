/** What a connector's settings come to when some of them are changed. Pure. */
import type { ConnectorTarget } from "#contracts/connector/events";
import { DomainError } from "#contracts/errors";
import type { ConnectorSettingsChange } from "#contracts/http/connectors";
import { addressOf, type SplitSettings, splitSettings } from "./settings.ts";

export interface ChangedSettings {
  readonly target: ConnectorTarget;
  /** `kept` where the former ones are good for it; null where none are needed. */
  readonly credentials: SplitSettings["credentials"] | "kept";
}

/**
 * Credentials that are not given anew stay only as long as the server does: whoever can change an address must
 * not get at what was given for another one. What a person has let us have by OAuth is dropped then.
 *
 * @throws DomainError `connector_kind_fixed`, `connector_credentials_needed`
 */
export const changedSettings = (
  target: ConnectorTarget,
  change: ConnectorSettingsChange,
): ChangedSettings => {
  if (target.kind === "mcp" && change.kind === "mcp") return changedServer(target, change);
  if (target.kind === "postgres" && change.kind === "postgres") {
    return changedDatabase(target, change);
  }
  throw new DomainError(
    "connector_kind_fixed",
    "A server cannot become a database, nor a database a server: make another connector.",
    { fields: { kind: target.kind } },
  );
};

type Of<Kind extends ConnectorTarget["kind"], T> = Extract<T, { readonly kind: Kind }>;

const changedServer = (
  target: Of<"mcp", ConnectorTarget>,
  { url = target.url, auth }: Of<"mcp", ConnectorSettingsChange>,
): ChangedSettings => {
  if (auth) return splitSettings({ kind: "mcp", url, auth });
  const moved = { ...target, url };
  if (isSameServer(target, moved)) return { target: moved, credentials: "kept" };
  if (target.auth === "headers") throw credentialsNeeded();
  // A client that was registered by hand was so at the former server's authorization server.
  return splitSettings({ kind: "mcp", url, auth: { kind: target.auth } });
};

const changedDatabase = (
  target: Of<"postgres", ConnectorTarget>,
  { password, ...given }: Of<"postgres", ConnectorSettingsChange>,
): ChangedSettings => {
  const moved: typeof target = {
    kind: "postgres",
    host: given.host ?? target.host,
    port: given.port ?? target.port,
    database: given.database ?? target.database,
    user: given.user ?? target.user,
    tls: given.tls ?? target.tls,
  };
  if (password !== undefined) return splitSettings({ ...moved, password });
  if (!isSameServer(target, moved)) throw credentialsNeeded();
  return { target: moved, credentials: "kept" };
};

const isSameServer = (former: ConnectorTarget, next: ConnectorTarget): boolean =>
  addressOf(former) === addressOf(next);

const credentialsNeeded = (): DomainError =>
  new DomainError(
    "connector_credentials_needed",
    "The former credentials were given for another server. Give those of the new one with its address.",
  );
