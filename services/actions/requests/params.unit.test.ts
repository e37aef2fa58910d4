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
    expect(refusal(action({ type: "nonsense" }), {})?.code).toBe("action_schema_unusable");
    expect(refusal(action({ $ref: "https://example.org/elsewhere" }), {})?.code).toBe(
      "action_schema_unusable",
    );
  });

  it("is not kept busy or brought down by a schema that is made to do so", () => {
    const doubling = Object.fromEntries(
      Array.from({ length: 60 }, (_, level) => {
        const next = { $ref: `#/$defs/level${level + 1}` };
        return [`level${level}`, { allOf: [next, next] }];
      }),
    );
    const bombs: readonly [Record<string, unknown>, Record<string, unknown>][] = [
      [{ properties: { text: { pattern: "^(a+)+$" } } }, { text: `${"a".repeat(60)}!` }],
      [{ $ref: "#/$defs/level0", $defs: { ...doubling, level60: {} } }, {}],
      [{ $ref: "#" }, {}],
      [{ allOf: [{ $ref: "#" }, { $ref: "#" }] }, {}],
    ];
    for (const [bomb, params] of bombs) {
      const definition = action({ type: "object", ...bomb });
      expect(refusal(definition, params)?.code).toBe("action_schema_unusable");
      expect(refusal(definition, params)?.code).toBe("action_schema_unusable");
    }
    // Whatever was interrupted, the next schema is compiled as ever.
    expect(refusal(action(schema), { version: "1.2.3" })).toBeNull();
  });

  it("takes a schema that refers to itself where data end the recursion", () => {
    const tree = { type: "object", properties: { child: { $ref: "#" } } };
    expect(refusal(action(tree), { child: { child: {} } })).toBeNull();
    expect(refusal(action(tree), { child: { child: 1 } })?.code).toBe("action_params_invalid");
  });
});
