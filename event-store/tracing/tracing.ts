/**
 * What this program needs of a tracer. The context of a trace is an argument like any other: it comes with a
 * command's meta, stands in the header of the commit, and is read there again (docs/adr/0008).
 *
 * Nothing here knows of OpenTelemetry, so that a process without traces does not even load it; see
 * `services/tracing`.
 */

/** A place in a trace, in the form of W3C Trace Context: `00-<trace>-<span>-<flags>`, all in hex. */
export type Traceparent = string;

/** Whether somebody records that trace. */
export const isRecorded = (traceparent: Traceparent): boolean =>
  (Number.parseInt(traceparent.slice(-2), 16) & 1) === 1;

/** The name of the header that carries it, over HTTP and in messages alike. */
export const traceparentHeader = "traceparent";

/** Ids and names only: never what people or agents have written, and no secrets. */
export type SpanAttributes = Readonly<Record<string, string | number | undefined>>;

export interface SpanOptions {
  /** With few different values: ids are attributes. */
  readonly name: string;
  readonly kind: "server" | "producer" | "consumer" | "client" | "internal";
  /** What this is a part of; without one, a trace begins here. */
  readonly parent?: Traceparent | undefined;
  /** What led to this, where that is more than one thing. */
  readonly links?: readonly Traceparent[];
  readonly attributes?: SpanAttributes;
}

/** Something that takes time. */
export interface Span {
  /** What its parts name as their parent. */
  readonly traceparent: Traceparent;
  readonly traceId: string;
  set(attributes: SpanAttributes): void;
  /** Says that it has failed, by the error's stable code or its class: messages may quote anything. */
  fail(error: unknown): void;
  end(): void;
}

export interface Tracing {
  /** Begins a span; whoever begins it ends it. */
  start(options: SpanOptions): Span;
}

/** A span in which some work is done, or, without tracing, none. */
export interface WorkSpan {
  /** For what the work leads to; without tracing that of the parent, so that it goes through this process. */
  readonly traceparent: Traceparent | undefined;
  set(attributes: SpanAttributes): void;
  /** Leaves no span of this work. */
  discard(): void;
}

/** Does the work in a span that ends with it. @throws what the work throws */
export const inSpan = async <T>(
  tracing: Tracing | null,
  options: SpanOptions,
  work: (span: WorkSpan) => Promise<T>,
): Promise<T> => {
  if (tracing === null) return work({ ...unrecorded, traceparent: options.parent });
  const span = tracing.start(options);
  let kept = true;
  try {
    return await work({
      traceparent: span.traceparent,
      set: span.set,
      discard: () => {
        kept = false;
      },
    });
  } catch (error) {
    kept = true;
    span.fail(error);
    throw error;
  } finally {
    // one that never ends is never sent
    if (kept) span.end();
  }
};

const unrecorded = { set: () => undefined, discard: () => undefined };
