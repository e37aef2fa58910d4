/** A fake: an MCP server that answers each message as the test says, which need not be right or kind. */
import type { ServerResponse } from "node:http";
import {
  type AnswerHandler,
  type Asked,
  json,
  type LocalServer,
  startLocalServer,
} from "./local-server.ts";

interface Message {
  readonly id?: number;
  readonly method: string;
  readonly params?: Readonly<Record<string, unknown>>;
}

/** Answers a message of one method; the request is at hand for those who misbehave below JSON. */
export type MessageHandler = (message: Message, response: ServerResponse, asked: Asked) => void;

export interface ScriptedMcpServer extends LocalServer {
  readonly mcpUrl: string;
  /** The messages of this method that came, oldest first. */
  received(method: string): readonly Message[];
}

export const answerWith = (result: unknown): MessageHandler => {
  return ({ id }, response) => json(response, { jsonrpc: "2.0", id, result });
};

const greeting = {
  protocolVersion: "2025-06-18",
  capabilities: { tools: { listChanged: true } },
  serverInfo: { name: "scripted", version: "1" },
};

/** There is nothing to say that was not asked for, and there are no sessions to end. */
const onlyPosts: AnswerHandler = (_, response) => void response.writeHead(405).end();

/**
 * `initialize` and notifications are answered as they ought to be, unless told.
 *
 * @param others answers what is no message
 */
export const startScriptedMcpServer = async (
  handlers: Readonly<Record<string, MessageHandler>>,
  others: AnswerHandler = onlyPosts,
): Promise<ScriptedMcpServer> => {
  const server = await startLocalServer();
  const messages: Message[] = [];
  server.answer((asked, response) => {
    if (asked.method !== "POST") return others(asked, response);
    const message = JSON.parse(asked.body) as Message;
    messages.push(message);
    const handler = handlers[message.method];
    if (handler) handler(message, response, asked);
    else if (message.method === "initialize") answerWith(greeting)(message, response, asked);
    else if (message.id === undefined) response.writeHead(202).end();
    else answerWith({})(message, response, asked);
  });
  return Object.assign(server, {
    mcpUrl: `${server.url}/mcp`,
    received: (method: string) => messages.filter((message) => message.method === method),
  });
};
