import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import { answerEvents, openingEvents, tokensOf } from "./answer-events.ts";
import type { AnswerHead, StreamEvent } from "./answer-events.ts";
import type { Step } from "./scenario.ts";

/** What a step is played with: the usage figures, the pace of its tokens, and when to stop. */
export interface Playback extends AnswerHead {
  /** Pause before each token in milliseconds, unless the step has its own. */
  tokenDelayMs: number;
  /** Aborts when the client has gone away or the server closes. */
  signal: AbortSignal;
}

/** Answers one request with one step. Rejects with an `AbortError` if `signal` ends the tokens. */
export async function playStep(
  response: ServerResponse,
  step: Step,
  playback: Playback,
): Promise<void> {
  switch (step.kind) {
    case "answer": {
      const tokenDelayMs = step.tokenDelayMs ?? playback.tokenDelayMs;
      openStream(response);
      await send(response, answerEvents(playback, step), { ...playback, tokenDelayMs });
      response.end();
      return;
    }
    case "error": {
      const retryAfter = step.retryAfterSeconds;
      if (retryAfter !== undefined) response.setHeader("retry-after", String(retryAfter));
      sendError(response, step);
      return;
    }
    case "drop": {
      const tokens = tokensOf(step.text).slice(0, step.afterTokens);
      openStream(response);
      await send(
        response,
        untilEndOfText(answerEvents(playback, { text: tokens.join(""), toolCalls: [] })),
        playback,
      );
      // Tokens that are still in the socket's buffer would be lost with it: wait until all have left.
      await new Promise<unknown>((resolve) => {
        response.once("close", resolve);
        response.write(": cut\n\n", resolve);
      });
      response.destroy();
      return;
    }
    case "hang": {
      openStream(response);
      await send(response, openingEvents(playback), playback);
      playback.signal.throwIfAborted();
      await once(playback.signal, "abort");
      return;
    }
  }
}

/** The error envelope of the Messages API. */
export function sendError(
  response: ServerResponse,
  error: { status: number; type: string; message: string },
): void {
  response.writeHead(error.status, { "content-type": "application/json" });
  response.end(
    JSON.stringify({ type: "error", error: { type: error.type, message: error.message } }),
  );
}

function openStream(response: ServerResponse): void {
  response.writeHead(200, {
    "content-type": "text/event-stream; charset=utf-8",
    "cache-control": "no-cache",
  });
}

async function send(
  response: ServerResponse,
  events: Iterable<StreamEvent>,
  playback: Playback,
): Promise<void> {
  const { signal, tokenDelayMs } = playback;
  for (const { paced, data } of events) {
    if (paced && tokenDelayMs > 0) await pause(tokenDelayMs, undefined, { signal });
    signal.throwIfAborted();
    const flushed = response.write(`event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`);
    if (!flushed) await once(response, "drain", { signal });
  }
}

/** A dropped stream has no orderly end: everything from the end of its block on is left out. */
function* untilEndOfText(events: Iterable<StreamEvent>): Generator<StreamEvent> {
  for (const event of events) {
    if (event.data.type === "content_block_stop") return;
    yield event;
  }
}
