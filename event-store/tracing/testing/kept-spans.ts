/** A fake tracer for tests: keeps what it is told, and numbers its spans. */
import type { SpanAttributes, SpanOptions, Tracing } from "../tracing.ts";

export interface KeptSpan extends SpanOptions {
  readonly traceparent: string;
  attributes: SpanAttributes;
  /** What it has failed with. */
  failures: unknown[];
  ended: boolean;
}

export const keepSpans = (): Tracing & { readonly spans: readonly KeptSpan[] } => {
  const spans: KeptSpan[] = [];
  return {
    spans,
    start: (options) => {
      const number = String(spans.length + 1);
      const traceId = options.parent?.split("-")[1] ?? number.padStart(32, "0");
      const span: KeptSpan = {
        ...options,
        traceparent: `00-${traceId}-${number.padStart(16, "0")}-01`,
        attributes: options.attributes ?? {},
        failures: [],
        ended: false,
      };
      spans.push(span);
      return {
        traceId,
        traceparent: span.traceparent,
        set: (attributes) => {
          span.attributes = { ...span.attributes, ...attributes };
        },
        fail: (error) => {
          span.failures.push(error);
        },
        end: () => {
          span.ended = true;
        },
      };
    },
  };
};
