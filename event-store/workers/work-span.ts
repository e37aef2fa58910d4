import { inSpan, type SpanOptions, type Traceparent, type Tracing } from "../tracing/tracing.ts";
import type { Handled } from "./work-message.ts";

/**
 * Has a message handled within a span of its own. What is called once more only because it has asked for it
 * leaves none.
 *
 * @param attempt how often the message was handed out, from 1 on
 * @param work is given what its commands are a part of
 */
export const inWorkSpan = (
  tracing: Tracing | null,
  attempt: number,
  { attributes, ...options }: SpanOptions,
  work: (trace: Traceparent | undefined) => Promise<Handled>,
): Promise<Handled> =>
  inSpan(
    tracing,
    { ...options, attributes: { ...attributes, "proliferate.attempt": attempt } },
    async (span) => {
      const handled = await work(span.traceparent);
      // Whoever waits asks to be called every few seconds, for as long as an agent answers.
      if (handled && attempt > 1) span.discard();
      return handled;
    },
  );
