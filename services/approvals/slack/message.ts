/** The message that asks in Slack, and what comes back when somebody presses one of its buttons. */
import { z } from "zod";
import { idSchema } from "#contracts/ids";
import type { LiveMessage } from "#contracts/live/messages";
import { DomainError } from "#contracts/errors";

const buttonValueSchema = z.object({
  organization: idSchema("organization"),
  sessionId: idSchema("session"),
  invocationId: idSchema("invocation"),
  decision: z.enum(["approve", "deny"]),
});
export type ButtonValue = z.infer<typeof buttonValueSchema>;

/** Slack cuts a block's text at 3,000 characters. */
const longestParams = 2_500;

type Request = Pick<
  Extract<LiveMessage, { type: "action_approval_request" }>,
  "integration" | "action" | "params"
>;

/** The blocks of Slack's Block Kit. What an agent has written stands in plain text, where nothing is a link. */
export const approvalBlocks = (
  { integration, action, params }: Request,
  button: Omit<ButtonValue, "decision">,
): readonly unknown[] => [
  plain(`An agent asks for ${integration}/${action}`),
  plain(JSON.stringify(params, null, 2).slice(0, longestParams)),
  {
    type: "actions",
    elements: (["approve", "deny"] as const).map((decision) => ({
      type: "button",
      action_id: decision,
      style: decision === "approve" ? "primary" : "danger",
      text: { type: "plain_text", text: decision === "approve" ? "Approve" : "Deny" },
      value: JSON.stringify({ ...button, decision } satisfies ButtonValue),
    })),
  },
];

const plain = (text: string) => ({ type: "section", text: { type: "plain_text", text } });

const pressSchema = z.object({
  type: z.literal("block_actions"),
  user: z.object({ id: z.string().regex(/^[UW][A-Z0-9]{2,30}$/) }),
  response_url: z.url().optional(),
  actions: z.array(z.object({ value: z.string().max(2000) })).min(1),
});

export interface Press {
  readonly slackUser: string;
  readonly button: ButtonValue;
  /** Where Slack takes what the message is to become; null if nowhere. */
  readonly responseUrl: string | null;
}

/** Reads a verified body: a form with JSON in its field `payload`. @throws DomainError `request_malformed` */
export const readPress = (body: Buffer): Press => {
  try {
    const payload = new URLSearchParams(body.toString("utf8")).get("payload") ?? "";
    const { user, response_url, actions } = pressSchema.parse(JSON.parse(payload));
    const button = buttonValueSchema.parse(JSON.parse(actions[0]?.value ?? ""));
    return { slackUser: user.id, button, responseUrl: response_url ?? null };
  } catch (cause) {
    throw new DomainError("request_malformed", "This is no press of an approval's button.", {
      cause,
    });
  }
};
