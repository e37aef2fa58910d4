import { z } from "zod";

/**
 * Text of an event that is stored encrypted. It stands beside the event's data and not in them, so nothing
 * that people or agents write can pass for it.
 */
export const sealedSchema = z.strictObject({
  v: z.literal(1),
  /** Whose key opens it: the id of a session, or of an organisation. */
  owner: z.string().regex(/^[\w-]{1,128}$/),
  /** Names the key without telling anything of it; a later key of the same owner has another name. */
  key: z.string().regex(/^[0-9a-f]{16}$/),
  /** The fields that were taken out of the data, as paths such as `message.parts`. */
  fields: z.array(z.string().regex(/^[a-zA-Z]+(\.[a-zA-Z]+)*$/)).min(1),
  /**
   * AES-256-GCM of the JSON list of their values: nonce (12 bytes), ciphertext and tag (16 bytes), in
   * base64. What is wrong with it shows when it is opened; a pattern would take longer than that.
   */
  box: z.string(),
});
export type Sealed = z.infer<typeof sealedSchema>;
