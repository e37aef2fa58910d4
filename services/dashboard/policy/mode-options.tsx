import { actionModeSchema } from "#contracts/policy/mode";
import { modeShown } from "./rule-text.ts";

/** The options of a field that says what happens to an action. */
export const ModeOptions = () =>
  actionModeSchema.options.map((mode) => (
    <option key={mode} value={mode}>
      {modeShown[mode].label}
    </option>
  ));
