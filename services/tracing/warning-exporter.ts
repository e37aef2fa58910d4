import { type ExportResult, ExportResultCode } from "@opentelemetry/core";
import type { SpanExporter } from "@opentelemetry/sdk-trace";
import type { Log } from "#event-store/log";

/**
 * Tells that spans are being lost when the first ones are, and when they arrive again: what comes between is
 * dropped without a word, since a log that is full of it helps nobody.
 */
export const warningOnce = (
  exporter: SpanExporter,
  log: Pick<Log, "warn" | "info">,
): SpanExporter => {
  let isFailing = false;
  const note = ({ code, error }: ExportResult): void => {
    const failed = code !== ExportResultCode.SUCCESS;
    if (failed === isFailing) return;
    isFailing = failed;
    if (failed) log.warn({ err: error }, "the collector takes no spans; they are dropped");
    else log.info({}, "the collector takes spans again");
  };
  return {
    export: (spans, told) =>
      exporter.export(spans, (result) => {
        note(result);
        told(result);
      }),
    shutdown: () => exporter.shutdown(),
    ...(exporter.forceFlush && { forceFlush: () => exporter.forceFlush?.() ?? Promise.resolve() }),
  };
};
