/** How older shapes of a transcript's events read today. */
import type { Upcaster } from "../read-event.ts";

/** Nobody took down who had asked. */
const messageRecorded1: Upcaster = (data) => ({ ...data, author: null });

export const transcriptUpcasters: Readonly<Record<string, Upcaster>> = {
  "MessageRecorded:1": messageRecorded1,
};
