/**
 * An invocation as a page knows it: from the live channel, which is quick and brief, and from the read
 * model, which is complete and a moment behind. Pure.
 */
import type { InvocationStatus } from "#contracts/invocation/status";
import type { InvocationView } from "#contracts/invocation/view";
import type { LiveMessage } from "#contracts/live/messages";

export type KnownInvocation = Pick<
  InvocationView,
  "id" | "integration" | "action" | "params" | "status" | "expiresAt"
> & {
  /** Null as long as only the live channel has told of it. */
  readonly risk: InvocationView["risk"] | null;
  readonly failure: InvocationView["failure"];
  /** What made it wait; null as `risk`. */
  readonly decision: {
    readonly source: InvocationView["modeSource"];
    readonly ruleId: InvocationView["ruleId"];
    readonly drifted: boolean;
  } | null;
};

/** As the read model has it. */
export const knownFromView = (view: InvocationView): KnownInvocation => ({
  ...view,
  decision: { source: view.modeSource, ruleId: view.ruleId, drifted: view.drifted },
});

type ActionMessage = Extract<LiveMessage, { type: "action_approval_request" | "action_updated" }>;

/** An update of an invocation that is not known yet is left to the read model. */
export const foldInvocation = (
  known: readonly KnownInvocation[],
  message: ActionMessage,
): readonly KnownInvocation[] => {
  if (message.type === "action_updated") {
    return known.map((invocation) =>
      invocation.id === message.invocationId ? later(invocation, message.status) : invocation,
    );
  }
  const { invocationId: id, integration, action, params, expiresAt } = message;
  if (known.some((invocation) => invocation.id === id)) return known;
  return [
    {
      ...{ id, integration, action, params, expiresAt, status: "pending" },
      ...{ risk: null, failure: null, decision: null },
    },
    ...known,
  ];
};

/** Adds what the read model knows (newest first), and never goes back to an earlier status. */
export const mergeInvocations = (
  known: readonly KnownInvocation[],
  rows: readonly InvocationView[],
): readonly KnownInvocation[] => {
  const rowIds = new Set(rows.map(({ id }) => id));
  const unread = known.filter(({ id }) => !rowIds.has(id));
  const rowsKnown = rows.map((row): KnownInvocation => {
    const before = known.find(({ id }) => id === row.id);
    const read = knownFromView(row);
    return before ? later(read, before.status) : read;
  });
  return [...unread, ...rowsKnown];
};

/** Statuses only move forward; of two final ones the first that was seen stays. */
const order: Readonly<Record<InvocationStatus, number>> = {
  pending: 0,
  approved: 1,
  executing: 2,
  completed: 3,
  denied: 3,
  failed: 3,
  expired: 3,
  outcome_unknown: 3,
};

const later = (invocation: KnownInvocation, status: InvocationStatus): KnownInvocation =>
  order[status] > order[invocation.status] ? { ...invocation, status } : invocation;
