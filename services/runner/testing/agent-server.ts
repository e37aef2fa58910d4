/**
 * Stands in for the OpenCode server of one sandbox, in the test's own process: the part of its HTTP API that
 * an owner uses, with event stream and heartbeats; what it answers is its caller's.
 */
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { z } from "zod";
import type { AgentAnswer, Frame, StoredConversation } from "./agent-turn.ts";

const promptSchema = z.object({
  messageID: z.string(),
  parts: z.tuple([z.object({ id: z.string(), text: z.string() })]),
});

export interface AgentServer {
  readonly baseUrl: string;
  /** How many follow its events. */
  followers(): number;
  close(): Promise<void>;
}

export const startAgentServer = async (
  conversations: Map<string, StoredConversation>,
  answer: AgentAnswer,
): Promise<AgentServer> => {
  const listeners = new Set<ServerResponse>();
  const turns = new Map<string, AbortController>();
  const tell = (frame: Frame): void => {
    for (const response of listeners) response.write(`data: ${JSON.stringify(frame)}\n\n`);
  };
  const heartbeat = setInterval(() => tell({ type: "server.heartbeat", properties: {} }), 10_000);

  const follow = (response: ServerResponse): void => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    listeners.add(response);
    response.on("close", () => listeners.delete(response));
    response.write(`data: ${JSON.stringify({ type: "server.connected", properties: {} })}\n\n`);
  };

  const begin = (conversation: StoredConversation, body: unknown): void => {
    const { messageID, parts } = promptSchema.parse(body);
    const [{ id: partID, text }] = parts;
    const turn = new AbortController();
    turns.set(conversation.id, turn);
    const asked = { messageID, partID, text };
    void answer(conversation, asked, { tell, aborted: turn.signal }).finally(() =>
      turns.delete(conversation.id),
    );
  };

  const reply = async (request: IncomingMessage): Promise<unknown> => {
    const [path = ""] = (request.url ?? "").split("?");
    const fixed = fixedAnswers[path];
    if (fixed !== undefined) return fixed;
    const [, , id = "", rest = ""] = path.split("/");
    const route = `${request.method} ${rest}`;
    if (id === "status")
      return Object.fromEntries([...turns.keys()].map((key) => [key, { type: "busy" }]));
    if (id === "" && request.method === "POST") {
      const made = { id: `ses_${randomUUID()}`, created: Date.now(), messages: [] };
      conversations.set(made.id, made);
      return infoOf(made);
    }
    const conversation = conversations.get(id);
    if (!conversation) return undefined;
    switch (route) {
      case "GET ":
        return infoOf(conversation);
      case "GET message":
        return conversation.messages;
      case "POST prompt_async":
        begin(conversation, await bodyOf(request));
        return null;
      case "POST abort":
        turns.get(id)?.abort();
        return true;
      case "POST message":
        // What an agent without a memory is told of the session; this one needs none to answer.
        return null;
      default:
        return undefined;
    }
  };

  const server = createServer((request, response) => {
    if (request.url === "/event") {
      follow(response);
      return;
    }
    reply(request).then(
      (body) => {
        response.writeHead(body === undefined ? 404 : 200, { "content-type": "application/json" });
        response.end(JSON.stringify(body ?? null));
      },
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    followers: () => listeners.size,
    close: async () => {
      clearInterval(heartbeat);
      for (const turn of turns.values()) turn.abort();
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
};

/** Its tools ask nobody. */
const fixedAnswers: Readonly<Record<string, unknown>> = {
  "/global/health": { healthy: true },
  "/permission": [],
};

const infoOf = ({ id, created }: StoredConversation) => ({
  id,
  directory: "/workspace",
  time: { created },
});

export const bodyOf = async (request: IncomingMessage): Promise<unknown> => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return JSON.parse(Buffer.concat(chunks).toString());
};
