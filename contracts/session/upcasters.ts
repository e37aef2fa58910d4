/** How older shapes of a session's events read today. */
import { findModel } from "../models/registry.ts";
import type { Upcaster } from "../read-event.ts";
import { workspaceRoot } from "../repository.ts";

/** One repository, no kind, no prompt of its own, and the model by whatever name was configured. */
const sessionCreated1: Upcaster = ({ repository, ...data }) => ({
  ...data,
  kind: isOfAutomation(data["origin"]) ? "automation" : "coding",
  repositories: isRecord(repository) ? [{ ...repository, path: workspaceRoot }] : [],
  model: typeof data["model"] === "string" ? nameOf(data["model"]) : data["model"],
  systemPrompt: null,
});

/** Nobody took down when it ends; whoever owns the session next reports it anew. */
const sandboxReady1: Upcaster = (data) => ({ ...data, expiresAt: null });

/** A name that nobody knows any more stays, so that it can be read; no sandbox starts with it. */
const nameOf = (model: string): string => findModel(model)?.id ?? model;

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null;

const isOfAutomation = (origin: unknown): boolean =>
  isRecord(origin) && origin["kind"] === "automation";

export const sessionUpcasters: Readonly<Record<string, Upcaster>> = {
  "SessionCreated:1": sessionCreated1,
  "SandboxReady:1": sandboxReady1,
};
