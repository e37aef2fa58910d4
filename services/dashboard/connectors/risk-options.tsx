import { type RiskLevel, riskLevelSchema } from "#contracts/policy/mode";
import { riskShown } from "../approvals/invocation-status.ts";

interface RiskOptionsProps {
  /** What holds if nothing is said here; null where that differs from action to action. */
  readonly otherwise: RiskLevel | null;
}

/** The options of a field that says how far something reaches; the empty one says nothing. */
export const RiskOptions = ({ otherwise }: RiskOptionsProps) => (
  <>
    <option value="">
      {otherwise === null
        ? "As each action says"
        : `As it is otherwise (${riskShown[otherwise].label.toLowerCase()})`}
    </option>
    {riskLevelSchema.options.map((risk) => (
      <option key={risk} value={risk}>
        {riskShown[risk].label}
      </option>
    ))}
  </>
);
