import type { PromptId } from "#contracts/ids";
import type { LiveMessage } from "#contracts/live/messages";

/** More than are told again: that is done of the newest end alone, a moment after it. */
const remembered = 20;

/**
 * Lets the end of each prompt through once. It is told by the prompt's owner and, since that one may die before,
 * again by whoever finds it in the log; a repetition that comes late would end the answer that is streamed by then.
 */
export class ToldEnds {
  readonly #ends: PromptId[] = [];

  /** Whether a message is no repetition. */
  isNews(message: LiveMessage): boolean {
    if (message.type !== "prompt_finished") return true;
    if (this.#ends.includes(message.promptId)) return false;
    this.#ends.push(message.promptId);
    if (this.#ends.length > remembered) this.#ends.shift();
    return true;
  }
}
