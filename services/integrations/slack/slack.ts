/** Slack's messages and channels, through Slack's own client. */
import { ErrorCode, LogLevel, WebClient } from "@slack/web-api";
import { z } from "zod";
import { refusalOf, unanswered } from "../vendor/vendor-failure.ts";
import { defineAction, type Vendor, type VendorCall } from "../vendor/vendor.ts";

const channel = z
  .string()
  .regex(/^[CGD][A-Z0-9]{2,30}$/)
  .describe("A channel's id, such as C012AB3CD");
const threadTs = z
  .string()
  .regex(/^\d{1,12}\.\d{1,9}$/)
  .describe("The `ts` of the thread's first message");
const cursor = z.string().max(500).optional().describe("What the page before answered as `next`");

/** Slack's words for credentials that are none any more; see docs.slack.dev, errors of `auth.test`. */
const badCredentials = new Set([
  "invalid_auth",
  "not_authed",
  "token_revoked",
  "token_expired",
  "account_inactive",
]);
const notAllowed = new Set([
  "missing_scope",
  "access_denied",
  "no_permission",
  "not_in_channel",
  "restricted_action",
]);

/** Runs it with a client for this call. Slack says most refusals with status 200. */
const withSlack = async <T>(
  reads: boolean,
  { token, baseUrl, fetch }: VendorCall,
  use: (client: WebClient) => Promise<T>,
): Promise<T> => {
  const client = new WebClient(token, {
    slackApiUrl: `${baseUrl}/`,
    // Requests are repeated one layer below, where it is known whether that does harm.
    retryConfig: { retries: 0 },
    rejectRateLimitedCalls: true,
    allowAbsoluteUrls: false,
    logLevel: LogLevel.ERROR,
    fetch: (url, init) => fetch(url, init),
  });
  try {
    return await use(client);
  } catch (error) {
    const refused = platformErrorSchema.safeParse(error).data;
    if (!refused) throw unanswered({ vendor: "Slack", reads }, error);
    const detail = refused.data.error;
    const status = badCredentials.has(detail) ? 401 : notAllowed.has(detail) ? 403 : 400;
    throw refusalOf({ vendor: "Slack", reads }, { status, retryAfterSeconds: null, detail });
  }
};

/** Slack's client also calls a page that is no answer of Slack's such an error, with all of its text. */
const platformErrorSchema = z.object({
  code: z.literal(ErrorCode.PlatformError),
  data: z.object({ error: z.string().regex(/^\w{1,100}$/) }),
});

const sendMessage = defineAction({
  id: "send_message",
  description: "Posts a message to a channel, or into a thread.",
  risk: "write",
  params: z.object({
    channel,
    text: z.string().min(1).max(12_000),
    thread_ts: threadTs.optional(),
  }),
  run: ({ channel, text, thread_ts }, call) =>
    withSlack(false, call, async (client) => {
      const { ts } = await client.chat.postMessage({
        channel,
        text,
        // What an agent writes is not to ring everybody's bell by accident.
        parse: "none",
        ...(thread_ts !== undefined && { thread_ts }),
      });
      return { channel, ts };
    }),
});

const listChannels = defineAction({
  id: "list_channels",
  description: "Lists the channels that the bot can see.",
  risk: "read",
  params: z.object({ limit: z.int().min(1).max(200).default(100), cursor }),
  run: ({ limit, cursor }, call) =>
    withSlack(true, call, async (client) => {
      const page = await client.conversations.list({
        limit,
        exclude_archived: true,
        types: "public_channel,private_channel",
        ...(cursor !== undefined && { cursor }),
      });
      const channels = (page.channels ?? []).map(({ id, name, topic, is_member }) => ({
        id,
        name,
        topic: topic?.value ?? "",
        member: is_member ?? false,
      }));
      return { channels, next: page.response_metadata?.next_cursor || null };
    }),
});

const readThread = defineAction({
  id: "read_thread",
  description: "Reads the messages of a thread, oldest first.",
  risk: "read",
  params: z.object({
    channel,
    thread_ts: threadTs,
    limit: z.int().min(1).max(200).default(50),
    cursor,
  }),
  run: ({ channel, thread_ts, limit, cursor }, call) =>
    withSlack(true, call, async (client) => {
      const page = await client.conversations.replies({
        channel,
        ts: thread_ts,
        limit,
        ...(cursor !== undefined && { cursor }),
      });
      const messages = (page.messages ?? []).map(({ ts, user, text }) => ({ ts, user, text }));
      return { messages, next: page.response_metadata?.next_cursor || null };
    }),
});

export const slack: Vendor = {
  id: "slack",
  name: "Slack",
  baseUrl: "https://slack.com/api",
  prove: (call) =>
    withSlack(true, call, async (client) => {
      await client.auth.test();
    }),
  actions: [sendMessage, listChannels, readThread],
};
