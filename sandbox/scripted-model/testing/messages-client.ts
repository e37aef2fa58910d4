import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { EventSourceParserStream } from "eventsource-parser/stream";
import { z } from "zod";

const eventSchema = z.looseObject({ type: z.string() });
export type MessagesEvent = z.infer<typeof eventSchema>;

interface Message {
  role: "user" | "assistant";
  content: unknown;
}

/** Sends a streaming request that offers a tool, as an agent's turn does. */
export function postMessages(
  url: string,
  messages: readonly Message[],
  options: { session?: string; tools?: unknown[]; signal?: AbortSignal } = {},
): Promise<Response> {
  return fetch(`${url}/messages`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      "x-session-id": options.session ?? defaultSession,
    },
    body: requestBody(messages, options.tools),
    ...(options.signal === undefined ? {} : { signal: options.signal }),
  });
}

const defaultSession = "ses_test";

function requestBody(messages: readonly Message[], tools: unknown[] = [{ name: "bash" }]): string {
  return JSON.stringify({ model: "test-model", stream: true, messages, tools });
}

/**
 * All bytes of an answer, headers and chunk framing included, up to the end of the connection. `fetch` may lose what
 * arrived just before a connection broke; a plain socket does not.
 */
export async function rawAnswer(url: string, messages: readonly Message[]): Promise<string> {
  const socket = connect(Number(new URL(url).port), "127.0.0.1");
  const body = requestBody(messages);
  const head = ["POST /v1/messages HTTP/1.1", "host: localhost", `x-session-id: ${defaultSession}`];
  socket.write(
    [...head, `content-length: ${String(Buffer.byteLength(body))}`, "", body].join("\r\n"),
  );
  return await text(socket);
}

/** The events of a stream as they arrive; throws if the connection breaks, or if a frame's name is not its type. */
export async function* eventsOf(response: Response): AsyncGenerator<MessagesEvent> {
  if (response.body === null) throw new Error("the response has no body");
  const frames = response.body
    .pipeThrough(new TextDecoderStream())
    .pipeThrough(new EventSourceParserStream());
  const reader = frames.getReader();
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    const event = eventSchema.parse(JSON.parse(next.value.data));
    if (next.value.event !== event.type)
      throw new Error(`frame ${String(next.value.event)} carries ${event.type}`);
    yield event;
  }
}

/** One finished content block: its opening and its deltas put together. */
export type AssembledBlock =
  | { type: "text" | "thinking"; text: string }
  | { type: "tool_use"; id: string; name: string; input: unknown };

export interface AssembledAnswer {
  blocks: AssembledBlock[];
  stopReason: string;
}

const startSchema = z.object({
  index: z.number(),
  content_block: z.object({
    type: z.enum(["text", "thinking", "tool_use"]),
    id: z.string().optional(),
    name: z.string().optional(),
  }),
});
const deltaSchema = z.object({
  index: z.number(),
  delta: z.union([
    z.object({ type: z.literal("text_delta"), text: z.string() }).transform((delta) => delta.text),
    z
      .object({ type: z.literal("thinking_delta"), thinking: z.string() })
      .transform((delta) => delta.thinking),
    z
      .object({ type: z.literal("input_json_delta"), partial_json: z.string() })
      .transform((delta) => delta.partial_json),
    z.object({ type: z.literal("signature_delta") }).transform(() => ""),
  ]),
});
const endSchema = z.object({
  delta: z.object({ stop_reason: z.string() }),
  usage: z.object({ output_tokens: z.number().positive() }),
});

/**
 * Reads a whole stream by the grammar of the Messages API and throws where it is broken: message_start first, blocks
 * one after the other with rising indexes, deltas only inside their block, message_delta and message_stop last.
 */
export async function assembleAnswer(response: Response): Promise<AssembledAnswer> {
  const answer: AssembledAnswer = { blocks: [], stopReason: "" };
  let open: z.infer<typeof startSchema> | undefined;
  let raw = "";
  let last = "";

  for await (const event of eventsOf(response)) {
    if (event.type === "ping") continue;
    expectThat((last === "") === (event.type === "message_start"), `${event.type} after "${last}"`);
    expectThat(last !== "message_stop", `${event.type} after the end`);
    switch (event.type) {
      case "message_start":
        break;
      case "content_block_start":
        expectThat(open === undefined, "a block opens inside another");
        open = startSchema.parse(event);
        expectThat(open.index === answer.blocks.length, `unexpected index ${String(open.index)}`);
        raw = "";
        break;
      case "content_block_delta": {
        const { index, delta } = deltaSchema.parse(event);
        expectThat(open?.index === index, "a delta outside its block");
        raw += delta;
        break;
      }
      case "content_block_stop":
        expectThat(open !== undefined, "a block closes that is not open");
        answer.blocks.push(closeBlock(open, raw));
        open = undefined;
        break;
      case "message_delta":
        expectThat(open === undefined, "the message ends inside a block");
        answer.stopReason = endSchema.parse(event).delta.stop_reason;
        break;
      case "message_stop":
        expectThat(last === "message_delta", "message_stop without message_delta");
        break;
      default:
        throw new Error(`unknown event ${event.type}`);
    }
    last = event.type;
  }
  expectThat(last === "message_stop", `the stream ends after "${last}"`);
  return answer;
}

function closeBlock(
  { content_block: block }: z.infer<typeof startSchema>,
  raw: string,
): AssembledBlock {
  if (block.type !== "tool_use") return { type: block.type, text: raw };
  return {
    type: "tool_use",
    id: z.string().parse(block.id),
    name: z.string().parse(block.name),
    input: JSON.parse(raw),
  };
}

function expectThat(condition: boolean, message: string): asserts condition {
  if (!condition) throw new Error(message);
}
