import { expect, test } from "vitest";
import type { OrganizationEvent } from "#contracts/organization/events";
import { deciderSpec } from "../testing/decider-spec.ts";
import { organizationDecider, ownAutoDeleteDays } from "./decider.ts";

const { given } = deciderSpec(organizationDecider);
const set = (days: number | null): OrganizationEvent => ({
  type: "AutoDeleteDefaultSet",
  data: { days },
});
const cleared: OrganizationEvent = { type: "AutoDeleteDefaultCleared", data: {} };

test("never is a word of its own, and another one than none", () => {
  given().when({ type: "SetAutoDeleteDefault", days: null }).then(set(null));
  given(set(null)).when({ type: "SetAutoDeleteDefault", days: null }).then();
  expect(ownAutoDeleteDays(given(set(null)).state())).toBeNull();
  expect(ownAutoDeleteDays(given().state())).toBeUndefined();
});

test("who takes it back follows the deployment, and may say the same again", () => {
  given(set(7)).when({ type: "ClearAutoDeleteDefault" }).then(cleared);
  expect(ownAutoDeleteDays(given(set(7), cleared).state())).toBeUndefined();
  given(set(7), cleared).when({ type: "SetAutoDeleteDefault", days: 7 }).then(set(7));
});
