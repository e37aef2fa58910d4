/** How older shapes of a transcript's events read today. */
import type { Upcaster } from "../read-event.ts";

/** Nobody took down who had asked. */
const messageRecorded1: Upcaster = (data) => ({ ...data, author: null });

/**
 * What tools told beside their output was thrown away, and nobody took down which files a turn had changed. Erased
 * text has a text part in the place of all parts.
 */
const messageRecorded2: Upcaster = (data) => {
  const message = data["message"] as { readonly parts: readonly { readonly kind: string }[] };
  return {
    ...data,
    message: {
      ...message,
      filesChanged: null,
      parts: message.parts.map((part) =>
        part.kind === "tool" ? { ...part, metadata: null } : part,
      ),
    },
  };
};

export const transcriptUpcasters: Readonly<Record<string, Upcaster>> = {
  "MessageRecorded:1": messageRecorded1,
  "MessageRecorded:2": messageRecorded2,
};
