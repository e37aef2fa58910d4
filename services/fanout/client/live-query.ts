import { z } from "zod";
import { liveProtocol } from "#contracts/live/client-frames";
import { seqText } from "#contracts/live/sequence";

const querySchema = z.object({
  ticket: z.string().max(4096),
  lastSeq: seqText.transform(Number).nullable(),
  /** Whoever names none was made for the first. */
  protocol: z
    .string()
    .regex(/^\d{1,4}$/)
    .default("1")
    .transform(Number),
  presence: z
    .enum(["0", "1"])
    .default("0")
    .transform((wanted) => wanted === "1"),
});

/** What a client asks for with the URL that it opens. */
export type LiveQuery = Omit<z.infer<typeof querySchema>, "protocol">;

/** Answers why not when a query cannot be served. */
export const parseLiveQuery = (
  query: URLSearchParams,
): LiveQuery | "malformed" | "protocol_unsupported" => {
  const parsed = querySchema.safeParse({
    ticket: query.get("ticket") ?? "",
    lastSeq: query.get("lastSeq"),
    protocol: query.get("protocol") ?? undefined,
    presence: query.get("presence") ?? undefined,
  });
  if (!parsed.success) return "malformed";
  const { protocol, ...wanted } = parsed.data;
  return protocol === liveProtocol ? wanted : "protocol_unsupported";
};
