import { describe, expect, it } from "vitest";
import type { ActionDefinition } from "#contracts/actions/definition";
import { DomainError } from "#contracts/errors";
import { validateParams } from "./params.ts";

const action = (params: Record<string, unknown>): ActionDefinition => ({
  id: "publish",
  description: "",
  risk: "write",
  params,
});

const refusal = (
  definition: ActionDefinition,
  params: Record<string, unknown>,
): DomainError | null => {
  try {
    validateParams(definition, params);
    return null;
  } catch (error) {
    if (error instanceof DomainError) return error;
    throw error;
  }
};

describe("validateParams", () => {
  const schema = {
    type: "object",
    properties: {
      version: { type: "string", pattern: "^\\d+\\.\\d+\\.\\d+$" },
      at: { type: "string", format: "date-time" },
    },
    required: ["version"],
    additionalProperties: false,
  };

  it("lets valid parameters pass and names the place of every problem", () => {
    expect(refusal(action(schema), { version: "1.2.3", at: "2026-01-01T00:00:00Z" })).toBeNull();
    const error = refusal(action(schema), { version: "one", at: "soon", extra: 1 });
    expect(error?.code).toBe("action_params_invalid");
    expect(error?.fields["problems"]).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ path: "/version" }),
        expect.objectContaining({ path: "/at" }),
        expect.objectContaining({
          path: "/",
          message: expect.stringContaining("extra") as unknown,
        }),
      ]),
    );
    expect(refusal(action(schema), {})?.code).toBe("action_params_invalid");
  });

  it.each([
    "http://json-schema.org/draft-07/schema#",
    "https://json-schema.org/draft/2020-12/schema",
    "urn:other",
  ])("understands the dialect %s, again and again", ($schema) => {
    for (let round = 0; round < 2; round += 1) {
      const definition = action({ ...schema, $schema, $id: "https://example.org/publish" });
      expect(refusal(definition, { version: "1.2.3" })).toBeNull();
      expect(refusal(definition, { version: 1 })?.code).toBe("action_params_invalid");
    }
  });

  it("does not let an asynchronous schema pass everything", () => {
    expect(refusal(action({ ...schema, $async: true }), { version: 1 })?.code).toBe(
      "action_params_invalid",
    );
  });

  it("refuses a schema that makes no sense without blaming the parameters", () => {
    expect(refusal(action({ type: "nonsense" }), {})?.code).toBe("action_failed");
    expect(refusal(action({ $ref: "https://example.org/elsewhere" }), {})?.code).toBe(
      "action_failed",
    );
  });
});
