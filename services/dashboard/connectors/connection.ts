/** What an organisation's agents can act through, whoever has set it up, as the pages show it. Pure. */
import type { AvailableIntegration } from "#contracts/actions/definition";
import type { AnswerBody } from "#services/client/call";
import type { ConnectorView } from "#contracts/http/connectors";
import type { listIntegrations } from "#contracts/http/integrations";
import type { Tone } from "../ui/badge.tsx";

export type Vendor = AnswerBody<typeof listIntegrations>["integrations"][number];

export type Connection = {
  /** What agents and policies call it. */
  readonly id: string;
  readonly name: string;
  /** What was last told of its actions; null as long as nothing was. */
  readonly available: AvailableIntegration | null;
} & (
  | { readonly kind: "connector"; readonly connector: ConnectorView }
  | { readonly kind: "vendor"; readonly vendor: Vendor }
  /** Of the whole installation: nothing of it can be changed here. */
  | { readonly kind: "installation" }
);

export interface KnownConnections {
  readonly connectors: readonly ConnectorView[];
  readonly vendors: readonly Vendor[];
  /** Null until they were listed. */
  readonly available: readonly AvailableIntegration[] | null;
}

/** The organisation's own first. */
export const connectionsOf = ({
  connectors,
  vendors,
  available,
}: KnownConnections): readonly Connection[] => {
  const listed = (id: string) => available?.find((one) => one.id === id) ?? null;
  const own = connectors.map((connector): Connection => {
    const { connector: id, name } = connector;
    return { kind: "connector", id, name, available: listed(id), connector };
  });
  const connected = vendors
    .filter((vendor) => vendor.connected)
    .map((vendor): Connection => {
      const { vendor: id, name } = vendor;
      return { kind: "vendor", id, name, available: listed(id), vendor };
    });
  const known = new Set([...own, ...connected].map(({ id }) => id));
  const others = (available ?? [])
    .filter(({ id }) => !known.has(id))
    .map((one): Connection => {
      return { kind: "installation", id: one.id, name: one.name, available: one };
    });
  return [...own, ...connected, ...others];
};

/** Where it leads to, in words. */
export const addressOf = (connection: Connection): string => {
  switch (connection.kind) {
    case "installation":
      return "Set up for the whole installation";
    case "vendor":
      return connection.vendor.baseUrl ?? "The vendor's own installation";
    case "connector": {
      const { target } = connection.connector;
      return target.kind === "mcp"
        ? target.url
        : `${target.user}@${target.host}:${target.port}/${target.database}`;
    }
  }
};

/** Whether a person has to authorize it before anything can be done through it. */
export const waitsForPerson = (connection: Connection): boolean =>
  connection.kind === "connector" && !connection.connector.authorized;

interface Shown {
  readonly label: string;
  readonly tone: Tone;
}

/** How it stands. @param switchedOff whether the organisation's policy refuses all of its actions */
export const standingOf = (connection: Connection, switchedOff: boolean): Shown => {
  if (switchedOff) return { label: "Switched off", tone: "neutral" };
  if (waitsForPerson(connection)) return { label: "Needs authorization", tone: "warning" };
  const { available } = connection;
  if (available === null) return { label: "Not known yet", tone: "neutral" };
  if (available.problem) return { label: "Has a problem", tone: "danger" };
  // The actions of vendors and databases are code: that they are listed says nothing of the other side.
  const asked =
    connection.kind === "installation" ||
    (connection.kind === "connector" && connection.connector.target.kind === "mcp");
  return asked ? { label: "Reachable", tone: "success" } : { label: "Connected", tone: "success" };
};
