import { type ProblemCode, isProblemError } from "#services/client/problem-error";

/**
 * Sentences that tell a person at the screen what to do. Codes that are missing here say it well enough
 * with the server's own `detail`.
 */
const sentences: Partial<Record<ProblemCode, string>> = {
  unauthenticated: "You are not signed in.",
  token_expired: "Your sign-in has expired. Sign in again.",
  forbidden: "Your role does not allow this. Ask an owner or admin of your organisation.",
  not_found: "This does not exist, or you may not see it.",
  session_not_found: "This session does not exist, or it belongs to another organisation.",
  session_stopped: "This session was stopped and takes no more requests.",
  prompt_too_large: "The prompt is too large. At most 100 KB can be sent at once.",
  invocation_already_resolved: "Somebody has already decided about this action.",
  invocation_expired: "The time to decide about this action is over.",
  concurrency_conflict: "Somebody changed this at the same moment. Try again.",
  idempotency_key_reused:
    "This was already sent with other contents. Reload the page and try again.",
  log_unavailable:
    "The event log cannot be reached at the moment. Nothing was changed; try again soon.",
  sandbox_unavailable: "No sandbox can be had at the moment. Try again soon.",
  editor_missing:
    "There is no VS Code in this sandbox: its image has neither openvscode-server nor code-server.",
  editor_unavailable: "VS Code did not start in this sandbox. Try again.",
  proxy_origin_missing:
    "This installation has no addresses for editors. Whoever runs it has to set SANDBOX_PAGES_URL.",
  proxy_upstream_failed: "The sandbox does not answer yet. Try again soon.",
  internal: "Something went wrong in the server. Nothing more is known here.",
  unreachable: "The server cannot be reached. Check your connection.",
  timed_out: "The server took too long to answer.",
  reply_unexpected:
    "The server answered in a way that this page does not understand. Reload the page.",
};

/** What went wrong, as a sentence to show. */
export const problemText = (error: unknown): string =>
  isProblemError(error)
    ? (sentences[error.code] ?? error.detail)
    : "Something went wrong in this page. Reload it and try again.";
