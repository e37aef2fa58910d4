/**
 * The models that an agent may work with. One model has three names: ours (canonical, in events and
 * settings), OpenCode's, and the provider's own. Adding a model, of whatever provider, is adding a line.
 */
import { DomainError } from "../errors.ts";

export interface Model {
  /** Canonical. */
  readonly id: string;
  readonly name: string;
  /** As OpenCode calls it: `provider/model`, never with a date. */
  readonly opencodeId: `${string}/${string}`;
  /** As the provider's API calls it. */
  readonly apiId: string;
}

export const models = [
  {
    id: "claude-opus-4.6",
    name: "Claude Opus 4.6",
    opencodeId: "anthropic/claude-opus-4-6",
    apiId: "claude-opus-4-6",
  },
  {
    id: "claude-opus-4.5",
    name: "Claude Opus 4.5",
    opencodeId: "anthropic/claude-opus-4-5",
    apiId: "claude-opus-4-5-20251101",
  },
  {
    id: "claude-sonnet-4.6",
    name: "Claude Sonnet 4.6",
    opencodeId: "anthropic/claude-sonnet-4-6",
    apiId: "claude-sonnet-4-6",
  },
  {
    id: "claude-sonnet-4",
    name: "Claude Sonnet 4",
    // OpenCode answers for the whole line under the name of its last member.
    opencodeId: "anthropic/claude-sonnet-4-5",
    apiId: "claude-sonnet-4-20250514",
  },
  {
    id: "claude-haiku-4.5",
    name: "Claude Haiku 4.5",
    opencodeId: "anthropic/claude-haiku-4-5",
    apiId: "claude-haiku-4-5-20251001",
  },
] as const satisfies readonly Model[];

export type ModelId = (typeof models)[number]["id"];

/** Of sessions that name none. */
export const defaultModel: ModelId = "claude-sonnet-4.6";
/** For titles and summaries. */
export const defaultSmallModel: ModelId = "claude-haiku-4.5";

const byAnyName: ReadonlyMap<string, (typeof models)[number]> = new Map(
  models.flatMap((model) => [
    [model.id, model],
    [model.opencodeId, model],
    [model.apiId, model],
  ]),
);

/** The model of this name, in any of the three formats; null for none of ours. */
export const findModel = (name: string): (typeof models)[number] | null =>
  byAnyName.get(name) ?? null;

/**
 * The model of this name, in any of the three formats.
 * @throws DomainError `model_unknown`
 */
export const requireModel = (name: string): (typeof models)[number] => {
  const model = findModel(name);
  if (model) return model;
  throw new DomainError("model_unknown", "There is no such model here.", {
    fields: { model: name.slice(0, 100), known: models.map(({ id }) => id) },
  });
};

/** The provider's part of an id of OpenCode's. */
export const providerOf = (opencodeId: string): string =>
  opencodeId.slice(0, opencodeId.indexOf("/"));
