import { once } from "node:events";
import { createServer } from "node:http";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { DomainError } from "#contracts/errors";
import { z } from "zod";
import { Attempts } from "./attempts.ts";
import { chooseStep } from "./choose-step.ts";
import { messagesRequestSchema, readConversation } from "./conversation.ts";
import { playStep, sendError } from "./play.ts";
import { scenarioSchema } from "./scenario.ts";
import type { Scenario, ScenarioInput } from "./scenario.ts";
import { defaultScenarios } from "./scenarios/index.ts";
import { fillTemplate } from "./template.ts";

export interface ScriptedModelOptions {
  /** Asked in order, so the special ones come first; without it, the scenarios that ship here. */
  scenarios?: readonly ScenarioInput[];
  /** Port on the loopback interface; 0, the default, takes a free one. */
  port?: number;
  /** Pause before each token of steps that have no pace of their own, in milliseconds. */
  tokenDelayMs?: number;
}

export interface ScriptedModel extends AsyncDisposable {
  /** Base URL for `provider.anthropic.options.baseURL`: ends in `/v1`, without a slash. */
  readonly url: string;
  /** How many Messages requests have arrived so far, those for titles included. */
  requests(): number;
  /** How many of them are being answered now: back to 0 once an abort has reached the model. */
  answering(): number;
  /** Ends running answers and frees the port. May be called twice. */
  close(): Promise<void>;
}

const DEFAULT_TOKEN_DELAY_MS = 10;

/**
 * Starts a model that answers from scenarios: a development aid for runs without an API key. It speaks the
 * streaming part of the Anthropic Messages API, listens on the loopback interface only, and checks no key.
 *
 * @throws DomainError `configuration_invalid` if a scenario breaks its schema or the port is taken.
 */
export async function startScriptedModel(
  options: ScriptedModelOptions = {},
): Promise<ScriptedModel> {
  const scenarios = parseScenarios(options.scenarios ?? defaultScenarios);
  const tokenDelayMs = options.tokenDelayMs ?? DEFAULT_TOKEN_DELAY_MS;
  const attempts = new Attempts();
  let requests = 0;
  let answering = 0;
  let closed: Promise<void> | undefined;

  const server = createServer((request, response) => {
    void serve(request, response);
  });

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method !== "POST" || request.url?.split("?")[0] !== "/v1/messages") {
      sendError(response, notFound);
      return;
    }
    const gone = new AbortController();
    response.once("close", () => {
      gone.abort();
    });
    requests += 1;
    answering += 1;
    try {
      await answer(request, response, gone.signal);
    } catch (error) {
      // Either the client went away, before or after its whole body, and nobody is left to be told; or the answer
      // is already half sent, and a broken stream is the only way left to say that it failed.
      if (gone.signal.aborted || !request.complete || response.headersSent) response.destroy();
      else sendError(response, { status: 500, type: "api_error", message: String(error) });
    } finally {
      answering -= 1;
    }
  }

  async function answer(
    request: IncomingMessage,
    response: ServerResponse,
    signal: AbortSignal,
  ): Promise<void> {
    const body = await text(request);
    const parsed = messagesRequestSchema.safeParse(parseJson(body));
    if (!parsed.success) {
      sendError(response, {
        status: 400,
        type: "invalid_request_error",
        message: z.prettifyError(parsed.error),
      });
      return;
    }
    const conversation = readConversation(parsed.data);
    const nextAttempt = () =>
      attempts.next(String(request.headers["x-session-id"] ?? ""), parsed.data.messages);
    const step = fillTemplate(chooseStep(scenarios, conversation, nextAttempt), conversation);
    const inputTokens = Math.ceil(body.length / 4);
    await playStep(response, step, { model: parsed.data.model, inputTokens, tokenDelayMs, signal });
  }

  const port = await listen(server, options.port ?? 0);

  async function stop(): Promise<void> {
    const ended = once(server, "close");
    server.close();
    // Each broken connection ends its answer, as if its client had gone away.
    server.closeAllConnections();
    await ended;
  }
  const close = () => (closed ??= stop());

  return {
    url: `http://127.0.0.1:${String(port)}/v1`,
    requests: () => requests,
    answering: () => answering,
    close,
    [Symbol.asyncDispose]: close,
  };
}

async function listen(server: Server, port: number): Promise<number> {
  try {
    server.listen(port, "127.0.0.1");
    await once(server, "listening");
  } catch (cause) {
    throw new DomainError(
      "configuration_invalid",
      `The scripted model cannot listen on port ${String(port)}.`,
      { cause },
    );
  }
  return (server.address() as AddressInfo).port;
}

const notFound = {
  status: 404,
  type: "not_found_error",
  message: "only POST /v1/messages exists here",
};

function parseScenarios(inputs: readonly ScenarioInput[]): readonly Scenario[] {
  const parsed = z.array(scenarioSchema).safeParse(inputs);
  if (parsed.success) return parsed.data;
  throw new DomainError(
    "configuration_invalid",
    `The scenarios are not valid: ${z.prettifyError(parsed.error)}`,
    { cause: parsed.error },
  );
}

function parseJson(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    // Not JSON: the schema refuses it with the same answer as any other malformed body.
    return undefined;
  }
}
