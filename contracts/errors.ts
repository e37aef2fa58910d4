/**
 * Every error that a caller may see has a code from this catalogue. Codes are stable: clients
 * compare them. The HTTP status of each is decided here and nowhere else.
 */
export const errorCatalogue = {
  request_malformed: 400,
  request_invalid: 422,
  prompt_too_large: 413,
  body_too_large: 413,
  unauthenticated: 401,
  token_expired: 401,
  forbidden: 403,
  not_found: 404,
  session_not_found: 404,
  invocation_not_found: 404,
  trigger_not_found: 404,
  integration_not_found: 404,
  connection_not_granted: 403,
  configuration_not_found: 404,
  configuration_archived: 409,
  configuration_required: 422,
  action_not_found: 404,
  model_unknown: 422,
  tool_not_found: 404,
  tool_not_available: 403,
  tool_args_invalid: 422,
  tool_schema_unsupported: 409,
  tool_quota_exceeded: 429,
  tool_call_running: 503,
  run_already_completed: 409,
  snapshot_failed: 502,
  user_exists: 409,
  idempotency_key_reused: 409,
  session_stopped: 409,
  session_not_running: 409,
  stale_owner: 409,
  prompt_not_found: 404,
  prompt_started: 409,
  prompt_queue_full: 429,
  too_many_live_requests: 429,
  too_many_env_variables: 409,
  invocation_already_resolved: 409,
  invocation_expired: 410,
  full_result_not_found: 404,
  too_many_pending_invocations: 429,
  too_many_invocations: 429,
  policy_rule_invalid: 422,
  policy_rule_not_found: 404,
  too_many_policy_rules: 409,
  policy_budget_spent: 403,
  action_denied: 403,
  action_params_invalid: 422,
  action_failed: 502,
  integration_unauthorized: 502,
  integration_forbidden: 502,
  integration_rate_limited: 503,
  integration_unreachable: 502,
  integration_timed_out: 504,
  integration_catalogue_too_large: 502,
  connector_not_found: 404,
  connector_exists: 409,
  connector_changed: 409,
  connector_kind_fixed: 422,
  connector_credentials_needed: 422,
  connector_not_oauth: 409,
  connector_authorization_invalid: 403,
  connector_authorization_failed: 502,
  too_many_connectors: 409,
  query_refused: 422,
  query_failed: 422,
  query_timed_out: 504,
  action_schema_unusable: 502,
  address_forbidden: 403,
  redirect_refused: 502,
  response_too_large: 502,
  concurrency_conflict: 409,
  commit_too_large: 413,
  command_id_reused: 409,
  event_unknown: 500,
  event_invalid: 500,
  log_gap: 500,
  export_invalid: 422,
  import_conflict: 409,
  log_unavailable: 503,
  lease_lost: 409,
  position_invalid: 400,
  webhook_signature_invalid: 401,
  webhook_delivery_id_missing: 400,
  sandbox_boot_failed: 502,
  sandbox_start_timed_out: 504,
  sandbox_not_found: 404,
  sandbox_unavailable: 503,
  sandbox_token_invalid: 401,
  migration_failed: 502,
  sandbox_provider_failed: 502,
  sandbox_provider_unknown: 500,
  sandbox_provider_changed: 409,
  sandbox_operation_unsupported: 409,
  sandbox_pause_unsupported: 409,
  sandbox_snapshot_not_found: 404,
  method_not_allowed: 405,
  path_outside_workspace: 403,
  file_not_found: 404,
  file_unreadable: 422,
  file_too_large: 413,
  service_not_found: 404,
  service_trial_running: 409,
  repository_not_found: 404,
  git_failed: 502,
  git_branch_exists: 409,
  git_busy: 409,
  git_detached_head: 409,
  git_nothing_staged: 409,
  git_protected_branch: 409,
  git_push_rejected: 409,
  git_credentials_refused: 409,
  git_remote_unknown: 409,
  git_outcome_unknown: 409,
  terminal_unavailable: 501,
  too_many_terminals: 429,
  preview_unavailable: 503,
  editor_missing: 501,
  editor_unavailable: 503,
  proxy_upstream_failed: 502,
  proxy_upstream_timed_out: 504,
  too_many_proxy_connections: 429,
  too_many_event_streams: 429,
  proxy_origin_missing: 501,
  agent_unreachable: 502,
  agent_reply_invalid: 502,
  agent_stuck: 504,
  agent_failed: 502,
  configuration_invalid: 500,
  prerequisite_missing: 500,
  internal: 500,
} as const satisfies Record<string, number>;

export type ErrorCode = keyof typeof errorCatalogue;

export interface DomainErrorOptions {
  /** Ids and limits that help the caller; never a secret. */
  readonly fields?: Readonly<Record<string, unknown>>;
  readonly cause?: unknown;
}

/** An error with a stable code. `message` is one sentence that is meant to be read by people. */
export class DomainError extends Error {
  override readonly name: string = "DomainError";
  readonly code: ErrorCode;
  readonly fields: Readonly<Record<string, unknown>>;

  constructor(code: ErrorCode, message: string, options: DomainErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.fields = options.fields ?? {};
  }

  /** The HTTP status that belongs to the code. */
  get status(): number {
    return errorCatalogue[this.code];
  }
}

/** Whether something thrown is a {@link DomainError}, with the given code if one is given. */
export const isDomainError = (error: unknown, code?: ErrorCode): error is DomainError =>
  error instanceof DomainError && (code === undefined || error.code === code);
