/** How much is kept of the parts of one message: as much as one commit takes. */
import type { MessagePart } from "#contracts/transcript/message";
import type { OpencodePart } from "./schemas.ts";

export interface PartLimits {
  /** Of each text in a tool's input and output, in UTF-16 units. */
  readonly tool: number;
  /** Of what the agent says or thinks. */
  readonly spoken: number;
}

/** What one tool may have said, as long as its message is not too large. */
export const toolLimits: PartLimits = { tool: 30_000, spoken: Number.POSITIVE_INFINITY };

/** In this order, until the message is small enough: what the agent says is worth more than what its tools do. */
const attempts: readonly PartLimits[] = [
  toolLimits,
  { ...toolLimits, tool: 10_000 },
  { ...toolLimits, tool: 3_000 },
  { tool: 1_000, spoken: 50_000 },
  { tool: 300, spoken: 10_000 },
  { tool: 50, spoken: 500 },
];

/** Of the parts' JSON. Sealed it takes a third more, and a commit has little beside it. */
const maxBytes = 384 * 1024;

/** The parts of a message, cut so far that a commit takes them: many tools at once may say more than that. */
export const fitParts = (
  parts: readonly OpencodePart[],
  partOf: (part: OpencodePart, limits: PartLimits) => readonly MessagePart[],
): MessagePart[] => {
  let fitted: MessagePart[] = [];
  for (const limits of attempts) {
    fitted = parts.flatMap((part) => partOf(part, limits));
    if (Buffer.byteLength(JSON.stringify(fitted)) <= maxBytes) break;
  }
  return fitted;
};
