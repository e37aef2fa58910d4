/** The tools that the control plane gives to agents: who has them, how often, and with which arguments. */
import type { z } from "zod";
import type { SessionKind } from "../session/kind.ts";
import {
  automationCompleteArgs,
  requestEnvVariablesArgs,
  saveServiceCommandsArgs,
  saveSnapshotArgs,
} from "./args.ts";

/** So many calls within so long, for each session. Nothing is counted against it that was refused. */
export interface ToolQuota {
  readonly limit: number;
  readonly windowMs: number;
}

export interface AgentTool<Name extends string = string, Args extends z.ZodObject = z.ZodObject> {
  readonly name: Name;
  /**
   * The version of `args`. A sandbox names the one that its tool file was generated from; raise it when a
   * call of the old form would not be understood any more.
   */
  readonly toolSchemaVersion: number;
  /** The sessions whose agents have it. */
  readonly kinds: readonly SessionKind[];
  readonly quota: ToolQuota;
  readonly description: string;
  readonly args: Args;
}

const defineTool = <const Name extends string, Args extends z.ZodObject>(
  tool: AgentTool<Name, Args>,
): AgentTool<Name, Args> => tool;

const hour = 60 * 60_000;

export const agentTools = {
  save_snapshot: defineTool({
    name: "save_snapshot",
    toolSchemaVersion: 1,
    kinds: ["coding", "setup", "automation"],
    quota: { limit: 10, windowMs: hour },
    description:
      "Saves the sandbox's files as they are now, so that later sessions can start from them. It may take a minute, during which the sandbox stands still.",
    args: saveSnapshotArgs,
  }),
  save_service_commands: defineTool({
    name: "save_service_commands",
    toolSchemaVersion: 1,
    kinds: ["setup"],
    quota: { limit: 20, windowMs: hour },
    description:
      "Saves the commands that start the repository's services. Sandboxes run them from then on when they start.",
    args: saveServiceCommandsArgs,
  }),
  automation_complete: defineTool({
    name: "automation_complete",
    toolSchemaVersion: 1,
    kinds: ["automation"],
    quota: { limit: 10, windowMs: hour },
    description:
      "Reports how this automation's run ended (also known as automation.complete). Call it exactly once, as the last thing you do.",
    args: automationCompleteArgs,
  }),
  request_env_variables: defineTool({
    name: "request_env_variables",
    toolSchemaVersion: 1,
    kinds: ["coding", "setup", "automation"],
    quota: { limit: 20, windowMs: hour },
    description:
      "Asks the people who watch this session for environment variables or secrets. Their values arrive in a file in the sandbox, never in the conversation.",
    args: requestEnvVariablesArgs,
  }),
} as const;

export type ToolName = keyof typeof agentTools;
export type ToolArgs<Name extends ToolName> = z.infer<(typeof agentTools)[Name]["args"]>;

export const toolNames = Object.keys(agentTools) as readonly ToolName[];

/** The tool of this name. Models also write the first underscore of a name as a dot. */
export const findTool = (name: string): (typeof agentTools)[ToolName] | null =>
  Object.values(agentTools).find(
    (tool) => tool.name === name || tool.name.replace("_", ".") === name,
  ) ?? null;

/** The tools of sessions of this kind. */
export const toolsOf = (kind: SessionKind): readonly (typeof agentTools)[ToolName][] =>
  Object.values(agentTools).filter((tool) => tool.kinds.includes(kind));
