import { expect, it } from "vitest";
import { newId } from "#contracts/ids";
import type { OpencodeClient } from "./client.ts";
import { promptMessageId } from "./message-id.ts";
import { sendPrompt } from "./prompt.ts";

const promptId = newId("prompt");
const createdMs = 1_700_000_000_000;
const asked = promptMessageId(promptId, { createdMs });
const answered = promptMessageId(newId("prompt"), { messageId: asked });

/** An agent whose turn ends as soon as anything was asked of it. */
const endingAgent = () => {
  let questions = 0;
  const now = <T>(before: T, after: T): Promise<T> => {
    questions += 1;
    return Promise.resolve(questions === 1 ? before : after);
  };
  const question = { info: { id: asked, role: "user" }, parts: [] };
  const answer = (end: object) => ({
    info: { id: answered, role: "assistant", parentID: asked, ...end },
    parts: [],
  });
  const sent: unknown[] = [];
  const client = {
    getSession: () => Promise.resolve({ id: "ses_1", time: { created: createdMs } }),
    messages: () =>
      now(
        [question, answer({ time: { created: createdMs } })],
        [
          question,
          answer({ time: { created: createdMs, completed: createdMs + 1 }, finish: "stop" }),
        ],
      ),
    status: () => now({ type: "busy" }, { type: "idle" }),
    promptAsync: (prompt: unknown) => Promise.resolve(void sent.push(prompt)),
  } as unknown as OpencodeClient;
  return { client, sent };
};

it("does not ask again when the answer comes to its end while the agent is looked at", async () => {
  const { client, sent } = endingAgent();
  const prompt = { client, agentSessionId: "ses_1", promptId, text: "Hello" };
  expect(await sendPrompt(prompt)).toEqual({ messageId: asked, sent: false });
  expect(sent).toEqual([]);
});
