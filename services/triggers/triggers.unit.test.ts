import { describe, expect, it } from "vitest";
import { isDomainError } from "#contracts/errors";
import { derivedId } from "#contracts/ids";
import type { TriggerCommand } from "#contracts/trigger/commands";
import { deciderSpec } from "../testing/decider-spec.ts";
import { parseBody } from "./body.ts";
import { triggerDecider } from "./decider.ts";
import { matches } from "./matcher.ts";
import { signWebhook, verifyWebhook } from "./signature.ts";
import { renderTemplate } from "./template.ts";

describe("trigger decider", () => {
  const { given } = deciderSpec(triggerDecider);
  const trigger = {
    name: "on failure",
    provider: "custom",
    filter: { status: "failed" },
    prompt: "Look at {{body.id}}",
    repository: null,
    createdBy: "usr_1",
  } as const;
  const create: TriggerCommand = { type: "CreateTrigger", ...trigger, session: null };

  it("creates a trigger once", () => {
    given().when(create).then({ type: "TriggerCreated", data: trigger });
    given({ type: "TriggerCreated", data: trigger })
      .when(create)
      .thenRejects("idempotency_key_reused");
  });

  it("keeps what the sessions of its runs are made with", () => {
    const session = { configurationId: derivedId("configuration", "shop"), connections: [] };
    given()
      .when({ ...create, session })
      .then(
        { type: "TriggerCreated", data: trigger },
        { type: "AutomationConfigured", data: session },
      );
  });
});

describe("webhook signatures", () => {
  const secretHex = "ab".repeat(32);
  const body = Buffer.from('{"status":"failed"}');
  const signed = { deliveryId: "delivery-1", body };
  const at = new Date("2026-01-01T00:00:00Z");
  const later = (seconds: number): Date => new Date(at.getTime() + seconds * 1000);
  const verdict = (change: Partial<Parameters<typeof verifyWebhook>[0]>): string => {
    try {
      verifyWebhook({
        secretHex,
        ...signed,
        signature: signWebhook(secretHex, signed, at),
        now: at,
        ...change,
      });
      return "accepted";
    } catch (error) {
      return isDomainError(error) ? error.code : "another error";
    }
  };

  it("is the HMAC over delivery id, timestamp and body", () => {
    // Computed with another program: printf 'delivery-1.1767225600.{"status":"failed"}' | openssl dgst -sha256 -mac HMAC -macopt hexkey:abab…
    expect(signWebhook(secretHex, signed, at)).toBe(
      "t=1767225600,v1=b5ad3fe240b33c385c1701b1dc60067893beca0da831259b9cf3ca682e1dde8c",
    );
  });

  it("accepts what was signed with the secret, within five minutes either way", () => {
    expect(verdict({})).toBe("accepted");
    expect(verdict({ now: later(300) })).toBe("accepted");
    expect(verdict({ now: later(-300) })).toBe("accepted");
    expect(verdict({ now: later(301) })).toBe("webhook_signature_invalid");
    expect(verdict({ now: later(-301) })).toBe("webhook_signature_invalid");
  });

  it.each([
    ["another body", { body: Buffer.from('{"status":"failed" }') }],
    ["another delivery id", { deliveryId: "delivery-2" }],
    ["another secret", { secretHex: "cd".repeat(32) }],
    ["no signature", { signature: undefined }],
    ["an empty signature", { signature: "" }],
    ["a short signature", { signature: "t=1767225600,v1=ab" }],
    [
      "another time in front of the same mac",
      { signature: signWebhook(secretHex, signed, at).replace("t=1", "t=2") },
    ],
    [
      "a second mac behind",
      { signature: `${signWebhook(secretHex, signed, at)},v1=${"0".repeat(64)}` },
    ],
  ])("refuses %s", (_name, change) => {
    expect(verdict(change)).toBe("webhook_signature_invalid");
  });
});

describe("matching", () => {
  it("wants every field of the filter with exactly its value", () => {
    const filter = { status: "failed", attempt: 1 };
    expect(matches(filter, { status: "failed", attempt: 1, more: true })).toBe(true);
    expect(matches(filter, { status: "failed", attempt: "1" })).toBe(false);
    expect(matches(filter, { status: "failed" })).toBe(false);
    expect(matches({ missing: null }, {})).toBe(false);
  });

  it("matches everything without a filter, and nothing that is not JSON with one", () => {
    expect(matches({}, parseBody(Buffer.from("hello")))).toBe(true);
    expect(matches({ status: "failed" }, parseBody(Buffer.from("hello")))).toBe(false);
    expect(matches({ status: "failed" }, parseBody(Buffer.from("null")))).toBe(false);
  });
});

describe("templates", () => {
  const body = {
    title: "It broke",
    issue: { labels: ["a", "b"], number: 7 },
    trick: "{{body.title}}",
  };
  const render = (template: string, maxBytes = 1000): string =>
    renderTemplate(template, body, maxBytes);

  it("puts fields in, as text or JSON, and nothing for what is missing", () => {
    expect(render("Fix {{body.title}} (#{{ body.issue.number }}) {{body.issue.labels}}!")).toBe(
      'Fix It broke (#7) ["a","b"]!',
    );
    expect(render("[{{body.nothing.at.all}}][{{body.title.length}}][{{body.constructor}}]")).toBe(
      "[][][]",
    );
    expect(render("{{body}}")).toBe(JSON.stringify(body));
  });

  it("leaves other braces alone and does not render what was put in", () => {
    expect(render("{{other}} {{body.trick}} $& {}")).toBe("{{other}} {{body.title}} $& {}");
  });

  it("cuts to the limit without breaking a character", () => {
    expect(renderTemplate("{{body.crab}}", { crab: "🦀🦀" }, 6)).toBe("🦀");
  });
});
