/** The vendors whose actions are code. */
import { github } from "./github/github.ts";
import { linear } from "./linear/linear.ts";
import { posthog } from "./posthog/posthog.ts";
import { sentry } from "./sentry/sentry.ts";
import { slack } from "./slack/slack.ts";
import type { Vendor } from "./vendor/vendor.ts";

export const vendors: readonly Vendor[] = [github, linear, posthog, sentry, slack];
