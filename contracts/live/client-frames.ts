/** What a client may say on the live channel. Every frame is checked, counted and authorised by itself. */
import { z } from "zod";
import { gitFrameSchemas } from "./git-frames.ts";
import { requestIdSchema as requestId } from "./request-id.ts";

/**
 * The version of this protocol, named in the URL (`&protocol=1`). Frames and fields may be added to a
 * version, so clients pass over those that they do not know; what changes otherwise gets a new one.
 */
export const liveProtocol = 1;

export const clientFrameSchema = z.discriminatedUnion("type", [
  z.object({ type: z.literal("ping") }),
  /** Answered by `status`. */
  z.object({ type: z.literal("get_status") }),
  /** Answered by a new `init`. */
  z.object({ type: z.literal("get_messages") }),
  /** Holds for some seconds, so whoever goes on typing says so again. */
  z.object({ type: z.literal("typing"), typing: z.boolean() }),
  /** As `POST /v1/sessions/:id/prompts`, in the name of whose ticket it is. */
  z.object({ type: z.literal("prompt"), requestId, text: z.string().min(1) }),
  /** As `POST /v1/sessions/:id/cancel`. */
  z.object({ type: z.literal("cancel"), requestId }),
  /** Asks for a snapshot of the sandbox; for who made the session, and for admins. */
  z.object({
    type: z.literal("save_snapshot"),
    requestId,
    message: z.string().max(500).nullable().default(null),
  }),
  /** As `POST /v1/sessions/:id/services/run`. */
  z.object({ type: z.literal("run_auto_start"), requestId }),
  ...gitFrameSchemas,
]);
export type ClientFrame = z.infer<typeof clientFrameSchema>;
/** The frames that are answered under their id. */
export type ClientRequest = Extract<ClientFrame, { readonly requestId: string }>;

/**
 * - `watch`: sees everything and changes nothing
 * - `take_part`: may do what its person may do
 */
export const liveAccessSchema = z.enum(["watch", "take_part"]);
export type LiveAccess = z.infer<typeof liveAccessSchema>;
