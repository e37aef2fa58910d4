import type { RuleView } from "#contracts/policy/view";
import { useAddRule, useRemoveRules } from "../policy/policy-queries.ts";
import { Button } from "../ui/button.tsx";
import { ConfirmButton } from "../ui/confirm-button.tsx";
import { ProblemNotice } from "../ui/problem-notice.tsx";
import type { Connection } from "./connection.ts";
import { useRemoveConnection } from "./connector-queries.ts";
import { switchOffRule, switchOffRulesOf } from "./switch-off.ts";

interface ConnectionControlsProps {
  readonly connection: Connection;
  readonly rules: readonly RuleView[];
  /** The button that did it is another one now. */
  readonly onSwitched: () => void;
  readonly onRemoved: () => void;
}

/** Switches a connection off and on, and removes it. */
export const ConnectionControls = (props: ConnectionControlsProps) => {
  const { connection, rules, onSwitched, onRemoved } = props;
  const { id, name, kind } = connection;
  const add = useAddRule();
  const takeBack = useRemoveRules();
  const remove = useRemoveConnection(connection, onRemoved);
  const off = switchOffRulesOf(id, rules).map((rule) => rule.id);
  const error = add.error ?? takeBack.error ?? remove.error;
  return (
    <>
      {off.length > 0 ? (
        <Button
          busy={takeBack.isPending}
          onClick={() => takeBack.mutate(off, { onSuccess: onSwitched })}
        >
          Switch on
        </Button>
      ) : (
        <ConfirmButton
          label="Switch off"
          question={`Switch off ${name}?`}
          confirmLabel="Switch it off"
          busy={add.isPending}
          onConfirm={() => add.mutate(switchOffRule(id), { onSuccess: onSwitched })}
        >
          Every action of it is refused to every session, by a rule of the policy, until it is
          switched on again. Its credentials stay.
        </ConfirmButton>
      )}
      {kind !== "installation" && (
        <ConfirmButton
          label={kind === "vendor" ? "Disconnect" : "Remove"}
          question={kind === "vendor" ? `Disconnect ${name}?` : `Remove ${name}?`}
          confirmLabel={kind === "vendor" ? "Disconnect it" : "Remove it"}
          busy={remove.isPending}
          onConfirm={() => remove.mutate()}
        >
          Its actions are gone for every session, and its credentials are forgotten. Rules that name
          it stay.
        </ConfirmButton>
      )}
      <ProblemNotice error={error} />
    </>
  );
};
