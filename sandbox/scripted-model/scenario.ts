import { z } from "zod";

/**
 * A scenario is data: which prompts it answers, and what the model says in each request of the turn.
 *
 * Every text in a step (also inside tool inputs) may use the placeholders of `template.ts`.
 */

const delayMs = z.number().int().nonnegative().max(60_000);
const times = z.union([z.number().int().positive(), z.literal("always")]).default(1);

const toolCall = z.strictObject({
  name: z.string().min(1),
  input: z.record(z.string(), z.unknown()),
});

const answerStep = z
  .strictObject({
    kind: z.literal("answer"),
    thinking: z.string().min(1).optional(),
    text: z.string().min(1).optional(),
    /** More than one call in the same answer asks the agent to run them in parallel. */
    toolCalls: z.array(toolCall).default([]),
    /** Pause before each token; without it the server's own pace applies. */
    tokenDelayMs: delayMs.optional(),
  })
  .refine((step) => step.text !== undefined || step.toolCalls.length > 0, {
    message: "an answer needs text or tool calls",
  });

/** The request is refused before anything is streamed, `times` times; then the next step applies. */
const errorStep = z.strictObject({
  kind: z.literal("error"),
  status: z.number().int().min(400).max(599),
  type: z.string().min(1),
  message: z.string().min(1),
  retryAfterSeconds: z.number().int().nonnegative().optional(),
  times,
});

/** Streams the first `afterTokens` tokens, then cuts the socket, `times` times; then the next step applies. */
const dropStep = z.strictObject({
  kind: z.literal("drop"),
  text: z.string().min(1),
  afterTokens: z.number().int().nonnegative(),
  times,
});

/** Opens the stream and then says nothing until the client goes away. */
const hangStep = z.strictObject({ kind: z.literal("hang") });

const step = z.discriminatedUnion("kind", [answerStep, errorStep, dropStep, hangStep]);

/** How a prompt selects a scenario; letter case never matters. `default` takes what nothing else took. */
const selector = z.discriminatedUnion("by", [
  z.strictObject({ by: z.literal("contains"), anyOf: z.array(z.string().min(1)).min(1) }),
  z.strictObject({
    by: z.literal("matches"),
    pattern: z.string().min(1).refine(isRegularExpression),
  }),
  z.strictObject({ by: z.literal("default") }),
]);

export const scenarioSchema = z.strictObject({
  name: z.string().regex(/^[a-z0-9]+(-[a-z0-9]+)*$/),
  select: selector,
  steps: z
    .array(step)
    .min(1)
    .refine((steps) => isTerminal(steps.at(-1)), {
      message:
        "the last step must end the turn: text without tool calls, a hang, or an error for always",
    }),
});

export type Scenario = z.infer<typeof scenarioSchema>;
/** A scenario as it is written down: defaults may be left out. */
export type ScenarioInput = z.input<typeof scenarioSchema>;
export type Step = z.infer<typeof step>;
export type AnswerStep = z.infer<typeof answerStep>;
export type FaultStep = z.infer<typeof errorStep> | z.infer<typeof dropStep>;

function isTerminal(last: Step | undefined): boolean {
  switch (last?.kind) {
    case "answer":
      return last.toolCalls.length === 0;
    case "hang":
      return true;
    case "error":
    case "drop":
      return last.times === "always";
    case undefined:
      return false;
  }
}

function isRegularExpression(pattern: string): boolean {
  try {
    new RegExp(pattern, "iu");
    return true;
  } catch {
    // The only failure of the constructor is a syntax error, which is the answer to the question.
    return false;
  }
}
