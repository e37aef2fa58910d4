/** A collector for tests: takes spans over OTLP/HTTP as JSON, as the protocol has it, and keeps them. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { z } from "zod";

const valueSchema = z.union([
  z.object({ stringValue: z.string() }).transform(({ stringValue }) => stringValue),
  z.object({ intValue: z.union([z.number(), z.string()]) }).transform(({ intValue }) => +intValue),
  z.object({ doubleValue: z.number() }).transform(({ doubleValue }) => doubleValue),
  z.object({ boolValue: z.boolean() }).transform(({ boolValue }) => boolValue),
]);
const attributesSchema = z
  .array(z.object({ key: z.string(), value: valueSchema }))
  .transform((all) => Object.fromEntries(all.map(({ key, value }) => [key, value])));
const spanSchema = z.object({
  traceId: z.string(),
  spanId: z.string(),
  parentSpanId: z.string().optional(),
  name: z.string(),
  kind: z.number(),
  attributes: attributesSchema,
  links: z.array(z.object({ traceId: z.string(), spanId: z.string() })),
  status: z.object({ code: z.number(), message: z.string().optional() }),
});
const requestSchema = z.object({
  resourceSpans: z.array(
    z.object({
      resource: z.object({ attributes: attributesSchema }),
      scopeSpans: z.array(z.object({ spans: z.array(spanSchema) })),
    }),
  ),
});

export type ReceivedSpan = z.infer<typeof spanSchema> & {
  /** Of the process that has sent it. */
  readonly resource: Readonly<Record<string, unknown>>;
};

export interface OtlpReceiver {
  /** For `OTEL_EXPORTER_OTLP_ENDPOINT`. */
  readonly url: string;
  /** In the order of their arrival. */
  readonly spans: readonly ReceivedSpan[];
  /** All that was sent, as it came. */
  readonly bodies: readonly string[];
  /** The `authorization` headers that came along. */
  readonly authorizations: readonly (string | undefined)[];
  /** Answers requests with this status from now on; 200 until then. */
  answerWith(status: number): void;
  /** How many requests there were, whatever they were answered with. */
  requests(): number;
  close(): Promise<void>;
}

export const startOtlpReceiver = async (): Promise<OtlpReceiver> => {
  const spans: ReceivedSpan[] = [];
  const bodies: string[] = [];
  const authorizations: (string | undefined)[] = [];
  let status = 200;
  let requests = 0;
  const server = createServer((request, response) => {
    requests += 1;
    authorizations.push(request.headers.authorization);
    const read = async (): Promise<void> => {
      const body = await text(request);
      if (status === 200 && request.url === "/v1/traces") {
        bodies.push(body);
        for (const { resource, scopeSpans } of requestSchema.parse(JSON.parse(body))
          .resourceSpans) {
          for (const span of scopeSpans.flatMap((scope) => scope.spans)) {
            spans.push({ ...span, resource: resource.attributes });
          }
        }
      }
      response.writeHead(status, { "content-type": "application/json" }).end("{}");
    };
    read().catch((error: unknown) => response.destroy(error as Error));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    bodies,
    authorizations,
    answerWith: (next) => {
      status = next;
    },
    requests: () => requests,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
};
