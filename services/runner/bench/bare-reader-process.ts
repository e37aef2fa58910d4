/**
 * What a runner is compared with: reads the agents' event streams off their servers, parses each event and looks
 * at the tokens only. It keeps nothing and tells nobody.
 */
import { once } from "node:events";
import { get, type IncomingMessage } from "node:http";
import { newId } from "#contracts/ids";
import { cpuUsOfThisProcess, serveCommands } from "#infra/bench/worker-process";
import { openOpencodeClient } from "#sandbox/opencode/client";
import { sendPrompt } from "#sandbox/opencode/prompt";
import { hostedProvider } from "../testing/hosted-provider.ts";
import { promptFor } from "./replay.ts";
import { lagOf } from "./stamps.ts";

/** As much as is looked at here. */
interface Frame {
  readonly type: string;
  readonly properties: { readonly delta?: string };
}

interface Reader {
  lags: number[];
  ended: () => void;
  readonly ask: (text: string) => Promise<unknown>;
}

const readers: Reader[] = [];

const follow = (stream: IncomingMessage, take: (frame: Frame) => void): void => {
  let rest = "";
  stream.setEncoding("utf8").on("data", (text: string) => {
    const events = (rest + text).split("\n\n");
    rest = events.pop() ?? "";
    for (const event of events) take(JSON.parse(event.slice("data: ".length)) as Frame);
  });
};

const openReader = async (hostUrl: string): Promise<Reader> => {
  const sandbox = await hostedProvider(hostUrl, false).ensureSandbox({
    sessionId: newId("session"),
    sandboxId: null,
    snapshotId: null,
    spec: noSpec,
  });
  const client = openOpencodeClient(sandbox.opencode);
  const { id: agentSessionId } = await client.createSession("bench");
  const reader: Reader = {
    lags: [],
    ended: () => undefined,
    ask: (text) => sendPrompt({ client, agentSessionId, promptId: newId("prompt"), text }),
  };
  const [stream] = (await once(get(new URL("/event", sandbox.opencode.baseUrl)), "response")) as [
    IncomingMessage,
  ];
  follow(stream, ({ type, properties: { delta } }) => {
    const lag = delta === undefined ? null : lagOf(delta);
    if (lag !== null) reader.lags.push(lag);
    if (type === "session.idle") reader.ended();
  });
  return reader;
};

const noSpec = {
  repositories: [],
  gateway: { url: "http://127.0.0.1:9", token: "none" },
  model: { model: "none/none", smallModel: "none/none", baseUrl: null, apiKey: "none" },
  instructions: "None.",
};

const commands = {
  connect: async (hostUrl: string, count: number): Promise<void> => {
    while (readers.length < count) readers.push(await openReader(hostUrl));
  },
  /** Asks every agent at once for so many tokens; answers how late each token came, by agent. */
  read: async (tokens: number) => {
    const before = cpuUsOfThisProcess();
    await Promise.all(
      readers.map(async (reader) => {
        reader.lags = [];
        const ended = new Promise<void>((resolve) => {
          reader.ended = resolve;
        });
        await reader.ask(promptFor(tokens));
        await ended;
      }),
    );
    const cpuUs = cpuUsOfThisProcess() - before;
    return { lags: readers.map(({ lags }) => lags), cpuUs };
  },
};
export type BareReaderCommands = typeof commands;

serveCommands(commands);
