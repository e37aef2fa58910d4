/** A signed webhook starts an automation by itself, and its repetition starts nothing. */
import { createHash } from "node:crypto";
import { getSession } from "#contracts/http/sessions";
import {
  createTrigger,
  listRuns,
  webhookDeliveryHeader,
  webhookSignatureHeader,
} from "#contracts/http/triggers";
import type { Client } from "../client/client.ts";
import type { Program } from "../start-program.ts";
import { signWebhook } from "../triggers/signature.ts";
import { poll } from "./poll.ts";
import type { Timeline } from "./timeline.ts";

/** Answers how many runs there are after two deliveries of the same webhook. */
export const runWebhook = async (
  client: Client,
  { gateway }: Program,
  timeline: Timeline,
): Promise<number> => {
  const trigger = await client.call(createTrigger, {
    body: {
      name: "Greet whoever opens an issue",
      filter: { action: "opened" },
      prompt: "Write a greeting to {{body.author}}.",
      repository: null,
    },
  });
  const body = Buffer.from(JSON.stringify({ action: "opened", author: "Ada" }));
  const deliveryId = createHash("sha256").update(body).digest("hex");
  const deliver = async (): Promise<boolean> => {
    const response = await fetch(`${gateway?.url ?? ""}${trigger.path}`, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        [webhookSignatureHeader]: signWebhook(
          trigger.signingSecret,
          { deliveryId, body },
          new Date(),
        ),
        [webhookDeliveryHeader]: deliveryId,
      },
      body,
    });
    if (response.status !== 202) {
      throw new Error(`The webhook was refused with ${response.status}.`);
    }
    return ((await response.json()) as { duplicate: boolean }).duplicate;
  };
  await poll("the trigger to be known", async () => {
    const probe = await fetch(`${gateway?.url ?? ""}${trigger.path}`, {
      method: "POST",
      body: "{}",
    });
    return probe.status !== 404;
  });
  await deliver();
  timeline.step("A signed webhook is delivered");
  const run = await poll("the automation to run", async () => {
    const { runs } = await client.call(listRuns, { query: {} });
    return runs.find(({ sessionId }) => sessionId !== null) ?? null;
  });
  await poll("the automation's session to be answered", async () => {
    if (run.sessionId === null) {
      return false;
    }
    const view = await client.call(getSession, {
      params: { sessionId: run.sessionId },
      query: {},
    });
    return view.status === "running" && view.openPrompts === 0;
  });
  timeline.step(`It started ${run.id} by itself, whose session has answered`);
  const duplicate = await deliver();
  const { runs } = await client.call(listRuns, { query: {} });
  timeline.step(`The same delivery again: ${duplicate ? "known" : "unknown"}, ${runs.length} run`);
  return runs.length;
};
