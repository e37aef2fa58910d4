import type { ScenarioInput } from "../scenario.ts";

const TOKENS = 400;

/** Twenty seconds of tokens: there to be aborted, or to have its runner killed. */
export const slowAnswer: ScenarioInput = {
  name: "slow-answer",
  select: { by: "matches", pattern: "\\bslow(ly)?\\b" },
  steps: [
    {
      kind: "answer",
      tokenDelayMs: 50,
      text: Array.from({ length: TOKENS }, (_, index) => `word-${String(index + 1)}`).join(" "),
    },
  ],
};

/** Opens an answer and falls silent: there to be aborted, or to be found by a watchdog. */
export const hang: ScenarioInput = {
  name: "hang",
  select: { by: "matches", pattern: "\\bhang\\b" },
  steps: [{ kind: "hang" }],
};

/** The connection breaks in the middle of the first try; the second is answered in full. */
export const dropOnce: ScenarioInput = {
  name: "drop-once",
  select: { by: "matches", pattern: "drop[ -]once" },
  steps: [
    { kind: "drop", text: "This answer breaks off in the middle of its sentence.", afterTokens: 5 },
    { kind: "answer", text: "This answer follows a broken connection and is complete." },
  ],
};
