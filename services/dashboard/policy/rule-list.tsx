import type { RuleView } from "#contracts/policy/view";
import { mayApprove, useUser } from "../app/identity.ts";
import { Badge } from "../ui/badge.tsx";
import { ConfirmButton } from "../ui/confirm-button.tsx";
import { ProblemNotice } from "../ui/problem-notice.tsx";
import { PersonName } from "../ui/person-name.tsx";
import { Pager } from "../ui/pager.tsx";
import { TimeAgo } from "../ui/time.tsx";
import { useNow } from "../ui/use-now.ts";
import { usePages } from "../ui/use-pages.ts";
import { useRemoveRules } from "./policy-queries.ts";
import { limitsOf, modeShown, overText } from "./rule-text.ts";

const perPage = 50;

interface RuleListProps {
  readonly rules: readonly RuleView[];
  readonly onRemoved: () => void;
}

export const RuleList = ({ rules, onRemoved }: RuleListProps) => {
  const { items, ...pages } = usePages(rules, perPage);
  return (
    <>
      <ul className="plain-list rule-list" aria-label="Rules">
        {items.map((rule) => (
          <li key={rule.id}>
            <Rule rule={rule} onRemoved={onRemoved} />
          </li>
        ))}
      </ul>
      <Pager label="Pages of rules" {...pages} />
    </>
  );
};

interface RuleProps extends Pick<RuleListProps, "onRemoved"> {
  readonly rule: RuleView;
}

const Rule = ({ rule, onRemoved }: RuleProps) => {
  const { label, tone } = modeShown[rule.mode];
  const now = useNow(30_000);
  const over = overText(rule, now);
  return (
    <article className="rule" aria-label={`${rule.integration} / ${rule.action}`}>
      <header className="rule-head">
        <h3>
          {rule.integration}
          <span className="muted"> / </span>
          {rule.action}
        </h3>
        {over !== null && <Badge tone="neutral">{over}</Badge>}
        <Badge tone={over === null ? tone : "neutral"}>{label}</Badge>
        <Removal rule={rule} onRemoved={onRemoved} />
      </header>
      <ul className="plain-list rule-limits">
        {limitsOf(rule).map((limit) => (
          <li key={limit}>{limit}</li>
        ))}
      </ul>
      {rule.note !== "" && <p>{rule.note}</p>}
      <p className="muted rule-origin">
        Set <TimeAgo at={rule.at} /> by <PersonName id={rule.by} name={rule.byName} />
        {rule.expiresAt !== null && (
          <>
            {Date.parse(rule.expiresAt) <= now ? ", ended" : ", ends"}{" "}
            <time dateTime={rule.expiresAt}>{new Date(rule.expiresAt).toLocaleString()}</time>
          </>
        )}
      </p>
    </article>
  );
};

const Removal = ({ rule, onRemoved }: RuleProps) => {
  const { mutate, isPending, error } = useRemoveRules(onRemoved);
  if (!mayApprove(useUser())) return null;
  return (
    <>
      <ConfirmButton
        label="Remove"
        question="Remove this rule?"
        confirmLabel="Remove the rule"
        busy={isPending}
        onConfirm={() => mutate([rule.id])}
      >
        What it decided is decided by the other rules and settings from then on.
      </ConfirmButton>
      <ProblemNotice error={error} />
    </>
  );
};
