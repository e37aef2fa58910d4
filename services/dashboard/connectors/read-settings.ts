/** A connector's settings as the form gives them. Pure. */
import type { ConnectorTarget } from "#contracts/connector/events";
import type { ConnectorSettings } from "#contracts/http/connectors";
import { formText } from "../ui/form-text.ts";
import type { ConnectorChange, NewConnector } from "./connector-queries.ts";

type GivenSettings = NewConnector["settings"];

export type AuthKind = Extract<ConnectorSettings, { kind: "mcp" }>["auth"]["kind"];

/** The server checks the rest, such as an address that holds credentials. */
export const readSettings = (kind: ConnectorTarget["kind"], form: FormData): GivenSettings =>
  kind === "mcp"
    ? { kind, url: formText(form, "url"), auth: readAuth(form) }
    : { ...readDatabase(form), password: passwordOf(form) };

/** The choice to leave an MCP server's credentials as they are. */
export const keptAuth = "kept";

/** What a filled-in form changes: secrets that were not typed stay. */
export const readChange = (
  kind: ConnectorTarget["kind"],
  form: FormData,
): NonNullable<ConnectorChange["settings"]> => {
  if (kind === "mcp") {
    const url = formText(form, "url");
    return formText(form, "auth") === keptAuth
      ? { kind, url }
      : { kind, url, auth: readAuth(form) };
  }
  const password = passwordOf(form);
  return password === "" ? readDatabase(form) : { ...readDatabase(form), password };
};

type DatabaseSettings = Extract<ConnectorSettings, { kind: "postgres" }>;

const readDatabase = (form: FormData): Omit<DatabaseSettings, "password"> => {
  const text = (name: string): string => formText(form, name);
  return {
    kind: "postgres",
    host: text("host"),
    port: Number(text("port")),
    database: text("database"),
    user: text("user"),
    tls: text("tls") as DatabaseSettings["tls"],
  };
};

/** As it was typed: a password may begin or end with a space. */
const passwordOf = (form: FormData): string => {
  const typed = form.get("password");
  return typeof typed === "string" ? typed : "";
};

const readAuth = (form: FormData): Extract<GivenSettings, { kind: "mcp" }>["auth"] => {
  const text = (name: string): string => formText(form, name);
  const kind = text("auth") as AuthKind;
  switch (kind) {
    case "none":
      return { kind };
    case "bearer":
      return { kind, token: text("token") };
    case "headers":
      return { kind, headers: { [text("header")]: text("headerValue") } };
    case "oauth": {
      const [clientId, clientSecret, scope] = ["clientId", "clientSecret", "scope"].map(text);
      return {
        kind,
        // What is left empty was not registered by hand.
        ...(clientId && { clientId }),
        ...(clientSecret && { clientSecret }),
        ...(scope && { scope }),
      };
    }
  }
};
