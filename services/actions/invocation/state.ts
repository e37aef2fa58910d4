/** An invocation as its commands see it. Plain JSON, because snapshots of it are stored. */
import type { RiskLevel } from "#contracts/invocation/events";
import type { FullResult } from "#contracts/invocation/full-result";
import type { SessionId } from "#contracts/ids";
import type { Failure } from "#contracts/session/events";

/** What was asked for; it never changes. */
export interface InvocationRequest {
  readonly sessionId: SessionId;
  readonly integration: string;
  readonly action: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly risk: RiskLevel;
  readonly fingerprint: string;
}

interface Granted {
  /** What is to be carried out: the request's parameters, or what its approver made of them. */
  readonly params: Readonly<Record<string, unknown>>;
}

export type InvocationState =
  | { readonly status: "absent" }
  | {
      readonly status: "pending";
      readonly request: InvocationRequest;
      readonly expiresAt: string | null;
    }
  | ({ readonly status: "approved"; readonly request: InvocationRequest } & Granted)
  | ({
      readonly status: "executing";
      readonly request: InvocationRequest;
      /** 1 at first; more where executors have died in the middle. */
      readonly attempt: number;
    } & Granted)
  | {
      readonly status: "completed";
      readonly request: InvocationRequest;
      readonly result: unknown;
      readonly truncated: boolean;
      readonly fullResult: FullResult | null;
    }
  | {
      readonly status: "denied";
      readonly request: InvocationRequest;
      readonly by: string;
      readonly reason: string;
    }
  | { readonly status: "failed"; readonly request: InvocationRequest; readonly failure: Failure }
  | { readonly status: "expired"; readonly request: InvocationRequest }
  | {
      readonly status: "outcome_unknown";
      readonly request: InvocationRequest;
      readonly reason: string;
    };

export type KnownInvocation = Exclude<InvocationState, { status: "absent" }>;
