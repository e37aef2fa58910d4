import { expect, test } from "vitest";
import { autoDeleteDaysOf } from "./auto-delete-days.ts";

const organization = { autoDelete: { days: 14 } };

test("the session's own rule counts before the organisation's, and that before the deployment's", () => {
  const rules = { organization, deploymentDays: 90 };
  expect(autoDeleteDaysOf({ autoDeleteDays: 3 }, rules)).toBe(3);
  expect(autoDeleteDaysOf({ autoDeleteDays: null }, rules)).toBeNull();
  expect(autoDeleteDaysOf({}, rules)).toBe(14);
  const never = { ...rules, organization: { autoDelete: { days: null } } };
  expect(autoDeleteDaysOf({}, never)).toBeNull();
  for (const autoDelete of ["unsaid", "deployment"] as const) {
    expect(autoDeleteDaysOf({}, { ...rules, organization: { autoDelete } })).toBe(90);
  }
});
