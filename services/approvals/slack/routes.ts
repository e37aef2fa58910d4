import { isDomainError } from "#contracts/errors";
import {
  slackInteraction,
  slackSignatureHeader,
  slackTimestampHeader,
} from "#contracts/http/approvals";
import type { UserView } from "#contracts/identity/principal";
import type { Log } from "#event-store/log";
import type { Traceparent } from "#event-store/tracing/tracing";
import type { ActionCommandsDeps } from "../../actions/commands.ts";
import { handleRoute, type RouteHandler } from "../../gateway/routes/handle-route.ts";
import { decide } from "../decide.ts";
import { requireApprover } from "../member.ts";
import { type Press, readPress } from "./message.ts";
import { verifySlackSignature } from "./signature.ts";
import type { SlackApp } from "./slack-app.ts";

export interface SlackRoutesDeps extends ActionCommandsDeps {
  readonly signingSecret: string;
  readonly slack: SlackApp;
  readonly findUserByEmail: (email: string) => Promise<UserView | null>;
  readonly log: Log;
}

export const slackRoutes = (deps: SlackRoutesDeps): readonly RouteHandler[] => [
  handleRoute(slackInteraction, async ({ headers, rawBody, trace }) => {
    const signed = {
      timestamp: headers[slackTimestampHeader],
      signature: headers[slackSignatureHeader],
      body: rawBody,
    };
    verifySlackSignature(deps.signingSecret, signed, deps.clock());
    const press = readPress(rawBody);
    await tell(deps, press, await carryOut(deps, press, trace));
    return { status: 200, body: {} };
  }),
];

/** What the message becomes. A decision that cannot be taken is said there: Slack shows nobody an error. */
const carryOut = async (
  deps: SlackRoutesDeps,
  { slackUser, button }: Press,
  trace: Traceparent | undefined,
): Promise<string> => {
  const { organization, sessionId, invocationId, decision } = button;
  try {
    const email = await deps.slack.emailOf(organization, slackUser);
    const user = email === null ? null : await deps.findUserByEmail(email);
    const by = requireApprover(user, organization);
    await decide(deps, { sessionId, invocationId, decision, by, via: "slack", trace });
    return `${by.name} has ${decision === "approve" ? "approved" : "denied"} this action.`;
  } catch (error) {
    if (!isDomainError(error)) throw error;
    deps.log.warn({ err: error, invocationId }, "a decision from Slack was not taken");
    // Whoever may not decide leaves the buttons to those who may.
    if (error.code === "forbidden") throw error;
    return error.message;
  }
};

const tell = async (
  { slack, log }: SlackRoutesDeps,
  { responseUrl }: Press,
  text: string,
): Promise<void> => {
  if (responseUrl === null) return;
  try {
    await slack.replaceMessage(responseUrl, text);
  } catch (error) {
    // The decision stands; only its message still looks as before.
    log.warn({ err: error }, "a message in Slack could not be replaced");
  }
};
