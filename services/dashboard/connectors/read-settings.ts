/** A connector's settings as the form gives them. Pure. */
import type { ConnectorTarget } from "#contracts/connector/events";
import type { ConnectorSettings } from "#contracts/http/connectors";
import { formText } from "../ui/form-text.ts";
import type { GivenSettings } from "./connector-queries.ts";

export type AuthKind = Extract<ConnectorSettings, { kind: "mcp" }>["auth"]["kind"];

/** The server checks the rest, such as an address that holds credentials. */
export const readSettings = (kind: ConnectorTarget["kind"], form: FormData): GivenSettings => {
  const text = (name: string): string => formText(form, name);
  if (kind === "mcp") return { kind, url: text("url"), auth: readAuth(form) };
  return {
    kind,
    host: text("host"),
    port: Number(text("port")),
    database: text("database"),
    user: text("user"),
    password: passwordOf(form),
    tls: text("tls") as Extract<ConnectorSettings, { kind: "postgres" }>["tls"],
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
