import type { RuleView } from "#contracts/policy/view";
import { mayApprove, useUser } from "../app/identity.ts";
import { Badge } from "../ui/badge.tsx";
import { ConfirmButton } from "../ui/confirm-button.tsx";
import { Notice } from "../ui/notice.tsx";
import { problemText } from "../ui/problem-text.ts";
import { TimeAgo } from "../ui/time.tsx";
import { useRemoveRule } from "./policy-queries.ts";
import { limitsOf, modeShown } from "./rule-text.ts";

export const RuleList = ({ rules }: { readonly rules: readonly RuleView[] }) => (
  <ul className="plain-list rule-list" aria-label="Rules">
    {rules.map((rule) => (
      <li key={rule.id}>
        <Rule rule={rule} />
      </li>
    ))}
  </ul>
);

const Rule = ({ rule }: { readonly rule: RuleView }) => {
  const { label, tone } = modeShown[rule.mode];
  return (
    <article className="rule" aria-label={`${rule.integration} / ${rule.action}`}>
      <header className="rule-head">
        <h3>
          {rule.integration}
          <span className="muted"> / </span>
          {rule.action}
        </h3>
        <Badge tone={tone}>{label}</Badge>
        <Removal rule={rule} />
      </header>
      <ul className="plain-list rule-limits">
        {limitsOf(rule).map((limit) => (
          <li key={limit}>{limit}</li>
        ))}
      </ul>
      {rule.note !== "" && <p>{rule.note}</p>}
      <p className="muted rule-origin">
        Set <TimeAgo at={rule.at} /> by {rule.by}
        {rule.expiresAt !== null && (
          <>
            , ends{" "}
            <time dateTime={rule.expiresAt}>{new Date(rule.expiresAt).toLocaleString()}</time>
          </>
        )}
      </p>
    </article>
  );
};

const Removal = ({ rule }: { readonly rule: RuleView }) => {
  const { mutate, isPending, error } = useRemoveRule(rule.id);
  if (!mayApprove(useUser())) return null;
  return (
    <>
      <ConfirmButton
        label="Remove"
        question="Remove this rule?"
        confirmLabel="Remove the rule"
        busy={isPending}
        onConfirm={() => mutate()}
      >
        What it decided is decided by the other rules and settings from then on.
      </ConfirmButton>
      {error && <Notice tone="danger">{problemText(error)}</Notice>}
    </>
  );
};
