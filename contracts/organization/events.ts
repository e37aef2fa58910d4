/** The events of an organisation's settings, as far as they are about no action. Who set them is the commit's actor. */
import { z } from "zod";
import { defineEvent, type EventOf } from "../define-event.ts";
import { maxAutoDeleteDays } from "../session/limits.ts";

export const organizationEvents = [
  /** After so many days without use its sessions are deleted with their text, unless they say otherwise; null: never. */
  defineEvent("AutoDeleteDefaultSet", 1, {
    days: z.int().min(1).max(maxAutoDeleteDays).nullable(),
  }),
  /** It follows the deployment again. */
  defineEvent("AutoDeleteDefaultCleared", 1, {}),
] as const;
export type OrganizationEvent = EventOf<(typeof organizationEvents)[number]>;
