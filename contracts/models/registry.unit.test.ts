import { expect, it } from "vitest";
import { isDomainError } from "../errors.ts";
import { defaultModel, findModel, models, providerOf, requireModel } from "./registry.ts";

it("knows every model by each of its three names, and no name means two models", () => {
  for (const model of models) {
    for (const name of [model.id, model.opencodeId, model.apiId]) {
      expect(requireModel(name), name).toBe(model);
    }
  }
});

it("translates the default model for OpenCode and for the provider", () => {
  expect(requireModel(defaultModel)).toMatchObject({
    id: "claude-sonnet-4.6",
    opencodeId: "anthropic/claude-sonnet-4-6",
    apiId: "claude-sonnet-4-6",
  });
  expect(providerOf(requireModel(defaultModel).opencodeId)).toBe("anthropic");
});

it.each(["", "anthropic/", "claude-sonnet-9", "openai/claude-opus-4.6", "CLAUDE-OPUS-4.6"])(
  "refuses %j with a code and says what there is",
  (name) => {
    expect(findModel(name)).toBeNull();
    const refused = (() => {
      try {
        return requireModel(name);
      } catch (error) {
        return error;
      }
    })();
    expect(isDomainError(refused, "model_unknown")).toBe(true);
    expect(refused).toMatchObject({
      fields: { known: expect.arrayContaining([defaultModel]) as unknown },
    });
  },
);
