/**
 * Ids for the messages that we give to OpenCode.
 *
 * OpenCode orders a conversation by message id and stops answering when the newest answer sorts after the
 * newest prompt. Its ids begin with 48 bits of time (milliseconds × 4096 + a counter, the upper bits lost).
 * A prompt's id is therefore made from the newest id that is already there and not from our clock, which may
 * run ahead of the sandbox's. The rest of the id names our prompt, so that a prompt can be found again.
 */
import { createHash } from "node:crypto";
import type { PromptId } from "#contracts/ids";

const timeDigits = 12;
const timeMask = (1n << 48n) - 1n;

/** The id of a prompt that comes right after what is there. */
export const promptMessageId = (
  promptId: PromptId,
  after: { readonly messageId: string } | { readonly createdMs: number },
): string => {
  const newest =
    "messageId" in after ? timeOf(after.messageId) : (BigInt(after.createdMs) * 4096n) & timeMask;
  return `msg_${((newest + 1n) & timeMask).toString(16).padStart(timeDigits, "0")}${suffixOf(promptId)}`;
};

/** The same part id for the same prompt: sent twice, it replaces itself. */
export const promptPartId = (messageId: string): string => messageId.replace(/^msg_/, "prt_");

export const isMessageOfPrompt = (messageId: string, promptId: PromptId): boolean =>
  messageId.startsWith("msg_") && messageId.endsWith(suffixOf(promptId));

const timeOf = (messageId: string): bigint => BigInt(`0x${messageId.slice(4, 4 + timeDigits)}`);

const suffixOf = (promptId: PromptId): string =>
  createHash("sha256").update(promptId).digest("hex").slice(0, 14);
