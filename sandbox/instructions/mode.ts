/** What a kind of session adds to the instructions of its agent. */
export interface Mode {
  /** How to work; a session's own system prompt stands in its place. */
  readonly guidance: string;
  /** What the control plane counts on, whatever the guidance says; null for nothing. */
  readonly demands: string | null;
}
