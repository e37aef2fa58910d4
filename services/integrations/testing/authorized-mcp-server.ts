/**
 * A fake, but a strict one: an MCP server that wants a token, and the authorization server that gives it.
 * Clients register themselves, prove themselves with PKCE, and get refresh tokens that are good once: whoever
 * sends an old one again has lost everything (as OAuth 2.1 wants it).
 */
import { createHash, randomUUID } from "node:crypto";
import { json, type LocalServer, startLocalServer } from "./local-server.ts";
import {
  answerWith,
  type MessageHandler,
  type ScriptedMcpServer,
  startScriptedMcpServer,
} from "./scripted-mcp-server.ts";

export interface AuthorizedMcpServer {
  readonly mcp: ScriptedMcpServer;
  readonly authorization: LocalServer;
  /** What a person's browser does at the address: answers what it comes back with. */
  consent(authorizationUrl: string): { state: string; code: string; iss: string };
  /** Access tokens that were given are good no more; refresh tokens are. */
  expireAccess(): void;
  /** Nothing that was given is good any more. */
  revoke(): void;
  /** How many clients have registered. */
  readonly clients: ReadonlySet<string>;
  close(): Promise<void>;
}

interface Code {
  readonly challenge: string;
  readonly client: string;
  readonly resource: string;
}

export const startAuthorizedMcpServer = async (): Promise<AuthorizedMcpServer> => {
  const access = new Set<string>();
  const refresh = new Map<string, "good" | "used">();
  const clients = new Set<string>();
  const codes = new Map<string, Code>();

  /** Answers in the name of whoever has a good token; the rest is told where to get one. */
  const guarded =
    (handler: MessageHandler): MessageHandler =>
    (message, response, asked) => {
      const token = /^Bearer (.+)$/.exec(asked.headers.authorization ?? "")?.[1];
      if (token !== undefined && access.has(token)) return handler(message, response, asked);
      const metadata = `${mcp.url}/.well-known/oauth-protected-resource`;
      response.setHeader("www-authenticate", `Bearer resource_metadata="${metadata}", scope="act"`);
      response.writeHead(401).end();
    };
  const capabilities = { tools: {} };
  const serverInfo = { name: "authorized", version: "1" };
  const mcp = await startScriptedMcpServer(
    {
      ping: guarded(answerWith({})),
      initialize: guarded(answerWith({ protocolVersion: "2025-06-18", capabilities, serverInfo })),
      "tools/list": guarded(
        answerWith({ tools: [{ name: "act", inputSchema: { type: "object" } }] }),
      ),
      "tools/call": guarded(answerWith({ content: [{ type: "text", text: "done" }] })),
    },
    (asked, response) => {
      if (asked.path !== "/.well-known/oauth-protected-resource") {
        return void response.writeHead(405).end();
      }
      json(response, { resource: mcp.mcpUrl, authorization_servers: [authorization.url] });
    },
  );
  const authorization = await startLocalServer();

  const issue = () => {
    const tokens = { access_token: randomUUID(), refresh_token: randomUUID() };
    access.add(tokens.access_token);
    refresh.set(tokens.refresh_token, "good");
    return { ...tokens, token_type: "Bearer", expires_in: 3600 };
  };
  const revoke = (): void => {
    access.clear();
    refresh.clear();
  };
  /** The answer to a request for a token; null for one that is refused. */
  const grant = (form: URLSearchParams): object | null => {
    if (form.get("grant_type") === "refresh_token") {
      const token = form.get("refresh_token") ?? "";
      if (refresh.get(token) === "used") revoke();
      if (refresh.get(token) !== "good" || form.get("resource") !== mcp.mcpUrl) return null;
      refresh.set(token, "used");
      return issue();
    }
    const code = codes.get(form.get("code") ?? "");
    codes.delete(form.get("code") ?? "");
    const challenge = createHash("sha256").update(form.get("code_verifier") ?? "");
    const good =
      code?.challenge === challenge.digest("base64url") && code.resource === form.get("resource");
    return good ? issue() : null;
  };

  const consent: AuthorizedMcpServer["consent"] = (authorizationUrl) => {
    const { searchParams } = new URL(authorizationUrl);
    const of = (name: string): string => searchParams.get(name) ?? "";
    const code = randomUUID();
    codes.set(code, {
      challenge: of("code_challenge"),
      client: of("client_id"),
      resource: of("resource"),
    });
    return { state: of("state"), code, iss: authorization.url };
  };

  authorization.answer((asked, response) => {
    const { url } = authorization;
    if (asked.path.startsWith("/authorize?")) {
      // A person who consents at once.
      const asking = new URL(asked.path, url);
      const returned = new URLSearchParams(consent(asking.href)).toString();
      const location = `${asking.searchParams.get("redirect_uri") ?? ""}?${returned}`;
      return void response.writeHead(302, { location }).end();
    }
    if (asked.path === "/.well-known/oauth-authorization-server") {
      return json(response, {
        issuer: url,
        authorization_endpoint: `${url}/authorize`,
        token_endpoint: `${url}/token`,
        registration_endpoint: `${url}/register`,
        response_types_supported: ["code"],
        code_challenge_methods_supported: ["S256"],
      });
    }
    if (asked.path === "/register") {
      const client = { client_id: randomUUID(), client_secret: randomUUID() };
      clients.add(client.client_id);
      const wanted = JSON.parse(asked.body) as object;
      return json(response, { ...wanted, ...client }, 201);
    }
    if (asked.path === "/token") {
      const basic = Buffer.from((asked.headers.authorization ?? "").slice(6), "base64").toString();
      const known = clients.has(basic.split(":")[0] ?? "");
      const granted = known ? grant(new URLSearchParams(asked.body)) : null;
      return granted ? json(response, granted) : json(response, { error: "invalid_grant" }, 400);
    }
    return void response.writeHead(404).end();
  });

  return {
    mcp,
    authorization,
    clients,
    revoke,
    expireAccess: () => access.clear(),
    consent,
    close: async () => {
      await mcp.close();
      await authorization.close();
    },
  };
};
