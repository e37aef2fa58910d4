/**
 * Traces by OpenTelemetry, sent to a collector over OTLP/HTTP. Nothing is made global, and there is no context
 * manager: who is whose parent is said in so many words (docs/adr/0008). Loaded only where traces are wanted.
 */
import {
  type Context,
  type Link,
  ROOT_CONTEXT,
  type Span as OtelSpan,
  SpanKind,
  SpanStatusCode,
  trace,
} from "@opentelemetry/api";
import { parseKeyPairsIntoRecord, parseTraceParent } from "@opentelemetry/core";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { resourceFromAttributes } from "@opentelemetry/resources";
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from "@opentelemetry/sdk-trace";
import type { Log } from "#event-store/log";
import type { Span, SpanOptions, Traceparent, Tracing } from "#event-store/tracing/tracing";
import { codeOf } from "./code-of.ts";
import { recordLinked } from "./link-sampler.ts";
import { warningOnce } from "./warning-exporter.ts";

export interface TracingOptions {
  /** The base URL of the collector: spans go to `v1/traces` below it. */
  readonly endpoint: string;
  /** Sent along, as `name=value,name=value` with the values percent-encoded. */
  readonly headers?: string | undefined;
  /** What the collector knows this program by. */
  readonly service: string;
  /** Names this process among others. */
  readonly instance: string;
  /** The share of the traces that begin here and are recorded, from 0 to 1. */
  readonly ratio: number;
  readonly log: Pick<Log, "warn" | "info">;
}

export interface OpenTracing extends Tracing {
  /** Sends what waits to be sent, for a few seconds at most. Never throws. */
  stop(): Promise<void>;
}

/** How long one request to the collector may take, repetitions and all, in milliseconds. */
const exportTimeoutMs = 4_000;

export const openTracing = (options: TracingOptions): OpenTracing => {
  const { endpoint, headers, service, instance, ratio, log } = options;
  const exporter = new OTLPTraceExporter({
    url: `${endpoint.replace(/\/+$/, "")}/v1/traces`,
    timeoutMillis: exportTimeoutMs,
    ...(headers !== undefined && { headers: parseKeyPairsIntoRecord(headers) }),
  });
  const provider = new TracerProvider({
    resource: resourceFromAttributes({
      "service.name": service,
      "service.instance.id": instance,
    }),
    sampler: new ParentBasedSampler({ root: recordLinked(new TraceIdRatioBasedSampler(ratio)) }),
    spanLimits: { attributeValueLengthLimit: 512 },
    // It keeps 2,048 spans and drops what comes beyond: who works never waits for the collector.
    spanProcessors: [
      new BatchSpanProcessor({
        exporter: warningOnce(exporter, log),
        // The exporter is the first to give up, and says why.
        exportTimeoutMillis: exportTimeoutMs + 1_000,
        scheduledDelayMillis: 1_000,
      }),
    ],
  });
  const tracer = provider.getTracer("proliferate");
  return {
    start: ({ name, kind, parent, links = [], attributes = {} }) =>
      spanOf(
        tracer.startSpan(
          name,
          { kind: kinds[kind], attributes, links: links.flatMap(linkTo) },
          contextOf(parent),
        ),
      ),
    stop: async () => {
      // The warning was given when it failed; spans are no reason not to stop.
      await provider.shutdown().catch(() => undefined);
    },
  };
};

const kinds: Readonly<Record<SpanOptions["kind"], SpanKind>> = {
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  producer: SpanKind.PRODUCER,
  consumer: SpanKind.CONSUMER,
  internal: SpanKind.INTERNAL,
};

/** Nothing for what is not of the form: a trace that cannot be read is none, and no reason to fail. */
const linkTo = (traceparent: Traceparent): readonly Link[] => {
  const context = parseTraceParent(traceparent);
  return context ? [{ context: { ...context, isRemote: true } }] : [];
};

const contextOf = (parent: Traceparent | undefined): Context => {
  const [link] = parent === undefined ? [] : linkTo(parent);
  return link ? trace.setSpanContext(ROOT_CONTEXT, link.context) : ROOT_CONTEXT;
};

const spanOf = (span: OtelSpan): Span => {
  const { traceId, spanId, traceFlags } = span.spanContext();
  return {
    traceId,
    traceparent: `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, "0")}`,
    set: (attributes) => {
      span.setAttributes(attributes);
    },
    fail: (error) => {
      const code = codeOf(error);
      span
        .setAttribute("error.type", code)
        .setStatus({ code: SpanStatusCode.ERROR, message: code });
    },
    end: () => span.end(),
  };
};
