/**
 * The port to the keys that text is sealed with. Who erases a key erases the text: nothing else opens it.
 */
import type { KeyObject } from "node:crypto";

/** To whom text belongs, and with whom it is erased. */
export interface TextOwner {
  readonly organization: string;
  /** The id of a session; or the organisation's own, for what belongs to no session. */
  readonly owner: string;
}

export interface DataKey {
  /** Names the key without telling anything of it, in 16 hex digits. */
  readonly id: string;
  /** For AES-256. */
  readonly secret: KeyObject;
}

/** Both functions throw DomainError `log_unavailable` while the keys cannot be read. */
export interface DataKeys {
  /**
   * How long a key may still be used, by any process, after it was erased, in milliseconds: no longer
   * than this are keys remembered without a look at where they are kept.
   */
  readonly lifetimeMs: number;
  /** The key for new text of an owner, made if there was none; null if it was erased, for good. */
  toSeal(owner: TextOwner): Promise<DataKey | null>;
  /** The owners' keys, in the order of the owners; null where one was erased or is not there. */
  toOpen(owners: readonly TextOwner[]): Promise<readonly (DataKey | null)[]>;
}
