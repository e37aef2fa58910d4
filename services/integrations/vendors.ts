/** The vendors whose actions are code. */
import type { VendorId } from "#contracts/integration/events";
import { github } from "./github/github.ts";
import { linear } from "./linear/linear.ts";
import { posthog } from "./posthog/posthog.ts";
import { sentry } from "./sentry/sentry.ts";
import { slack } from "./slack/slack.ts";
import type { Vendor } from "./vendor/vendor.ts";

const byId: Readonly<Record<VendorId, Vendor>> = { github, linear, posthog, sentry, slack };

export const vendors: readonly Vendor[] = Object.values(byId);

export const vendorOf = (id: VendorId): Vendor => byId[id];
