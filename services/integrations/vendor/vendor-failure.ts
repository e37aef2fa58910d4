/**
 * What a vendor's refusal means, and what the agent should do about it. A DomainError says that nothing
 * came of the action; any other error, that nobody knows (see `ActionSource.execute`). Pure.
 */
import { DomainError } from "#contracts/errors";
import { redact } from "#sandbox/redaction";

export interface Exchange {
  /** What people call the vendor. */
  readonly vendor: string;
  /** Whether the action changes nothing, so that not knowing its outcome does no harm. */
  readonly reads: boolean;
}

export interface Refusal {
  /** Of HTTP. */
  readonly status: number;
  /** As the vendor asked for; null if it did not. */
  readonly retryAfterSeconds: number | null;
  /** What the vendor said. */
  readonly detail: string;
}

const maxDetailLength = 500;

/** What an answer with a status of 400 or more means. */
export const refusalOf = (
  { vendor, reads }: Exchange,
  { status, retryAfterSeconds, detail }: Refusal,
): Error => {
  const said = saidBy(detail);
  const fields = { vendor, status };
  if (status === 401) {
    return new DomainError(
      "integration_unauthorized",
      `${vendor} does not accept the organisation's credentials. An administrator has to connect it again; do not try again before.${said}`,
      { fields },
    );
  }
  if (status === 403) {
    return new DomainError(
      "integration_forbidden",
      `${vendor} does not let the organisation's credentials do this. Ask an administrator, or do without.${said}`,
      { fields },
    );
  }
  if (status === 429) {
    const when = retryAfterSeconds === null ? "later" : `in ${retryAfterSeconds} s`;
    return new DomainError(
      "integration_rate_limited",
      `${vendor} takes no more requests for now. Try again ${when}, with fewer.`,
      { fields: { ...fields, retryAfterSeconds } },
    );
  }
  if (status < 500) {
    const advice =
      status === 404
        ? "knows nothing of that name, or hides it from these credentials. Check the ids."
        : `refused the request (${status}). Correct the parameters.`;
    return new DomainError("action_failed", `${vendor} ${advice}${said}`, { fields });
  }
  return unanswered({ vendor, reads }, new Error(`HTTP ${status}${said}`));
};

/** What a connection that broke off, an answer that came too late or one that makes no sense means. */
export const unanswered = ({ vendor, reads }: Exchange, cause: unknown): Error =>
  reads
    ? new DomainError(
        "integration_unreachable",
        `${vendor} gives no proper answer at the moment. Try again later.`,
        { fields: { vendor }, cause },
      )
    : new Error(
        `${vendor} gave no proper answer: the action may have taken effect. Look before you repeat it.`,
        { cause },
      );

const saidBy = (detail: string): string => {
  const text = redact(detail).replaceAll(/\s+/g, " ").trim().slice(0, maxDetailLength);
  return text === "" ? "" : ` It says: ${text}`;
};
