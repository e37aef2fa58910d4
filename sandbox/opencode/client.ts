/** OpenCode's HTTP API, as far as a session's owner needs it. */
import type { IncomingMessage } from "node:http";
import { z } from "zod";
import { DomainError } from "#contracts/errors";
import { redact } from "../redaction.ts";
import { parseFrame, type OpencodeFrame } from "./events.ts";
import { type AgentRequest, eventsOf, requestAgent, textOf } from "./http.ts";
import {
  permissionAskSchema,
  sessionInfoSchema,
  sessionStatusSchema,
  storedMessageSchema,
  type PermissionAsk,
  type SessionInfo,
  type SessionStatus,
  type StoredMessage,
} from "./schemas.ts";

export interface OpencodeClientOptions {
  readonly baseUrl: string;
  /** The whole header value. */
  readonly authorization: string;
  /** For one call; 30,000 ms by default. */
  readonly timeoutMs?: number;
  /** Breaks off every call that is under way, and those that follow. */
  readonly signal?: AbortSignal;
}

interface PromptRequest {
  readonly sessionId: string;
  readonly messageId: string;
  readonly partId: string;
  readonly text: string;
}

/** `reject` needs words: they are all that the agent learns. */
export type PermissionReply =
  { readonly reply: "once" } | { readonly reply: "reject"; readonly message: string };

/** Every call throws `agent_unreachable`, `agent_failed` (it answered with an error) or `agent_reply_invalid`. */
export interface OpencodeClient {
  createSession(title: string): Promise<SessionInfo>;
  /** Null if OpenCode does not know the session. */
  getSession(sessionId: string): Promise<SessionInfo | null>;
  /** Oldest first. */
  messages(sessionId: string): Promise<readonly StoredMessage[]>;
  status(sessionId: string): Promise<SessionStatus>;
  /** Returns as soon as OpenCode has taken the prompt; what comes of it is in the events. */
  promptAsync(prompt: PromptRequest): Promise<void>;
  /** Adds a text to the conversation that the agent does not answer, but reads before its next answer. */
  addContext(sessionId: string, text: string): Promise<void>;
  /** Ends the running turn. Without one nothing happens. */
  abort(sessionId: string): Promise<void>;
  /** What waits for leave, in any conversation of this server. */
  permissions(): Promise<readonly PermissionAsk[]>;
  /** Gives leave or refuses it; false when nothing waits under this id (any more). */
  replyPermission(askId: string, reply: PermissionReply): Promise<boolean>;
  /** The events of all sessions from now on, until the server or the signal ends it. Heartbeats are null. */
  events(signal: AbortSignal): AsyncIterable<OpencodeFrame | null>;
}

export const openOpencodeClient = (options: OpencodeClientOptions): OpencodeClient => {
  const headers = { authorization: options.authorization };
  const timeoutMs = options.timeoutMs ?? 30_000;
  const until = (signal: AbortSignal): AbortSignal =>
    options.signal ? AbortSignal.any([options.signal, signal]) : signal;
  const send = (path: string, request: AgentRequest): Promise<IncomingMessage> =>
    requestAgent(new URL(path, options.baseUrl), {
      ...request,
      headers: { ...headers, ...request.headers },
    }).catch((cause: unknown) => {
      throw new DomainError("agent_unreachable", "The agent's server does not answer.", { cause });
    });

  const call = async (method: "GET" | "POST", path: string, body?: unknown): Promise<Reply> => {
    const response = await send(path, {
      method,
      signal: until(AbortSignal.timeout(timeoutMs)),
      headers: body === undefined ? {} : { "content-type": "application/json" },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return replyOf(path, response);
  };
  const sessionPath = (sessionId: string, rest = "") =>
    `/session/${encodeURIComponent(sessionId)}${rest}`;

  return {
    createSession: async (title) =>
      parse(ok(await call("POST", "/session", { title })), sessionInfoSchema),
    getSession: async (sessionId) => {
      const reply = await call("GET", sessionPath(sessionId));
      return reply.status === 404 ? null : parse(ok(reply), sessionInfoSchema);
    },
    messages: async (sessionId) =>
      parse(
        ok(await call("GET", sessionPath(sessionId, "/message"))),
        z.array(storedMessageSchema),
      ),
    status: async (sessionId) => {
      const statuses = parse(
        ok(await call("GET", "/session/status")),
        z.record(z.string(), sessionStatusSchema),
      );
      return statuses[sessionId] ?? { type: "idle" };
    },
    promptAsync: async ({ sessionId, messageId, partId, text }) => {
      const body = { messageID: messageId, parts: [{ id: partId, type: "text", text }] };
      ok(await call("POST", sessionPath(sessionId, "/prompt_async"), body));
    },
    addContext: async (sessionId, text) => {
      const body = { noReply: true, parts: [{ type: "text", text, synthetic: true }] };
      ok(await call("POST", sessionPath(sessionId, "/message"), body));
    },
    abort: async (sessionId) => {
      ok(await call("POST", sessionPath(sessionId, "/abort")));
    },
    permissions: async () =>
      parse(ok(await call("GET", "/permission")), z.array(permissionAskSchema)),
    replyPermission: async (askId, body) => {
      const path = `/permission/${encodeURIComponent(askId)}/reply`;
      const reply = await call("POST", path, body);
      if (reply.status === 404) return false;
      ok(reply);
      return true;
    },
    events: (signal) => readEvents(send, until(signal)),
  };
};

async function* readEvents(
  send: (path: string, request: AgentRequest) => Promise<IncomingMessage>,
  signal: AbortSignal,
): AsyncGenerator<OpencodeFrame | null> {
  const response = await send("/event", { method: "GET", headers: {}, signal });
  if (response.statusCode !== 200) throw failed(await replyOf("/event", response));
  try {
    for await (const event of eventsOf(response)) yield parseFrame(event);
  } catch (cause) {
    throw cause instanceof DomainError ? cause : brokenOff(cause);
  }
}

interface Reply {
  readonly path: string;
  readonly status: number;
  readonly text: string;
}

const replyOf = async (path: string, response: IncomingMessage): Promise<Reply> => {
  try {
    return { path, status: response.statusCode ?? 0, text: await textOf(response) };
  } catch (cause) {
    throw brokenOff(cause);
  }
};

const brokenOff = (cause: unknown): DomainError =>
  new DomainError("agent_unreachable", "The agent's server broke off its reply.", { cause });

const ok = (reply: Reply): Reply => {
  if (reply.status >= 200 && reply.status < 300) return reply;
  throw failed(reply);
};

const failed = ({ path, status, text }: Reply): DomainError =>
  new DomainError(
    "agent_failed",
    `The agent's server refused ${path}: ${redact(text).slice(0, 500)}`,
    {
      fields: { status },
    },
  );

const parse = <T>(reply: Reply, schema: z.ZodType<T>): T => {
  try {
    return schema.parse(JSON.parse(reply.text));
  } catch (cause) {
    throw new DomainError(
      "agent_reply_invalid",
      `The agent's reply to ${reply.path} cannot be read.`,
      { cause },
    );
  }
};
