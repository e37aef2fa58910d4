/** What approvals need of Slack's API, with the bot that an organisation has connected. */
import { z } from "zod";
import { DomainError } from "#contracts/errors";
import type { OrganizationId } from "#contracts/ids";
import { getCredentials } from "../../integrations/connections/credentials.ts";
import { type ConnectionsDeps, loadConnections } from "../../integrations/connections/commands.ts";
import type { Outbound } from "../../integrations/outbound/outbound.ts";

export interface SlackApp {
  /** Whether the organisation has connected Slack. */
  isConnected(organization: OrganizationId): Promise<boolean>;
  /** @throws DomainError `integration_unauthorized`, `action_failed`; TypeError when Slack is not reached */
  postMessage(
    organization: OrganizationId,
    message: {
      readonly channel: string;
      readonly text: string;
      readonly blocks: readonly unknown[];
    },
  ): Promise<void>;
  /** The address that the workspace knows the person by; null for somebody of another workspace. */
  emailOf(organization: OrganizationId, slackUser: string): Promise<string | null>;
  /** Puts a text in the place of the message that somebody has pressed a button of. */
  replaceMessage(responseUrl: string, text: string): Promise<void>;
}

const replySchema = z.object({ ok: z.boolean(), error: z.string().optional() });
const userSchema = replySchema.extend({
  user: z
    .object({ profile: z.object({ email: z.string().optional() }), is_bot: z.boolean().optional() })
    .optional(),
});

const defaultBaseUrl = "https://slack.com/api";
const timeoutMs = 10_000;

export const createSlackApp = ({
  store,
  secrets,
  outbound,
}: ConnectionsDeps & { readonly outbound: Outbound }): SlackApp => {
  const call = async (
    organization: OrganizationId,
    method: string,
    body: Readonly<Record<string, string>>,
  ): Promise<unknown> => {
    const credentials = await getCredentials(secrets, { organization, vendor: "slack" });
    const { token, baseUrl } = credentials;
    const response = await outbound.fetch(
      `${(baseUrl ?? defaultBaseUrl).replace(/\/+$/, "")}/${method}`,
      {
        method: "POST",
        headers: { authorization: `Bearer ${token}` },
        body: new URLSearchParams(body),
      },
      { timeoutMs },
    );
    return response.json();
  };
  return {
    isConnected: async (organization) =>
      (await loadConnections(store, organization))["slack"] !== undefined,
    postMessage: async (organization, { channel, text, blocks }) => {
      const message = { channel, text, blocks: JSON.stringify(blocks) };
      const reply = replySchema.parse(await call(organization, "chat.postMessage", message));
      if (!reply.ok) throw refused(reply.error);
    },
    emailOf: async (organization, slackUser) => {
      const reply = userSchema.parse(await call(organization, "users.info", { user: slackUser }));
      if (reply.ok) return reply.user?.is_bot ? null : (reply.user?.profile.email ?? null);
      if (reply.error === "user_not_found" || reply.error === "user_not_visible") return null;
      throw refused(reply.error);
    },
    replaceMessage: async (responseUrl, text) => {
      const response = await outbound.fetch(
        responseUrl,
        {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: JSON.stringify({ replace_original: true, text }),
        },
        { timeoutMs },
      );
      await response.body?.cancel();
    },
  };
};

const refused = (detail = "unknown"): DomainError =>
  new DomainError("action_failed", `Slack refused: ${detail}.`);
