import { createHash } from "node:crypto";

/** Requests remembered; the oldest is forgotten first. Far above what runs at once on one machine. */
const MAX_REMEMBERED = 1_000;

/**
 * Counts how often the same request was made. This is the server's only memory: a failed request leaves nothing in
 * the conversation, so "fail twice, then succeed" cannot be read from the request itself. A retry repeats the
 * messages exactly, while a later turn has more of them, so their digest identifies the request.
 */
export class Attempts {
  readonly #counts = new Map<string, number>();

  /** Returns how many equal requests came before this one. `session` keeps equal conversations apart. */
  next(session: string, messages: unknown): number {
    const key = createHash("sha256")
      .update(JSON.stringify([session, messages]))
      .digest("base64url");
    const before = this.#counts.get(key) ?? 0;
    this.#counts.set(key, before + 1);
    if (this.#counts.size > MAX_REMEMBERED) {
      const oldest = this.#counts.keys().next();
      if (oldest.done !== true) this.#counts.delete(oldest.value);
    }
    return before;
  }
}
