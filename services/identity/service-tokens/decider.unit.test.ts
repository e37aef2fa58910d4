import fc from "fast-check";
import { it } from "vitest";
import { derivedId } from "#contracts/ids";
import type { ServiceTokenCommand } from "#contracts/service-token/commands";
import { type ServiceTokenEvent, serviceTokenEvents } from "#contracts/service-token/events";
import { describeDecider } from "#event-store/testing/decider-properties";
import { deciderSpec } from "../../testing/decider-spec.ts";
import { serviceTokenDecider } from "./decider.ts";

const token = {
  userId: derivedId("user", "nightly"),
  name: "nightly",
  scopes: ["read" as const],
  expiresAt: "2027-02-20T09:00:00.000Z",
};
const issue: ServiceTokenCommand = { type: "IssueServiceToken", ...token };
const revoke: ServiceTokenCommand = { type: "RevokeServiceToken" };
const issued: ServiceTokenEvent = { type: "ServiceTokenIssued", data: token };
const revoked: ServiceTokenEvent = { type: "ServiceTokenRevoked", data: {} };

const { given } = deciderSpec(serviceTokenDecider);

it("records once that a token was issued, and once that it was revoked", () => {
  given().when(issue).then(issued);
  given(issued).when(issue).then();
  given(issued).when(revoke).then(revoked);
  given(issued, revoked).when(revoke).then();
});

it("records that a token was revoked whose beginning is not on record", () => {
  given().when(revoke).then(revoked);
});

describeDecider("a service token", {
  decider: serviceTokenDecider,
  events: serviceTokenEvents,
  commands: fc.constantFrom(issue, revoke),
  repeated: { IssueServiceToken: "nothing", RevokeServiceToken: "nothing" },
});
