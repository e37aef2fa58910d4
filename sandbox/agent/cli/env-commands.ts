/** `proliferate env …`: files with environment variables, written from a specification. */
import { readFile } from "node:fs/promises";
import path from "node:path";
import type { Command } from "commander";
import { z } from "zod";
import { DomainError } from "#contracts/errors";
import { applyEnvFiles, scrubEnvFiles, type EnvFilesOptions } from "../env-files/env-files.ts";
import { envSpecSchema, type EnvSpec } from "#contracts/sandbox/env-files";
import { openWorkspace } from "../workspace/confinement.ts";
import { CommandFailed, exitCodes } from "./exit-codes.ts";
import type { Console } from "./run-action.ts";

/** What the commands know of the place they run in. */
export interface EnvPlace {
  readonly home: string;
  readonly searchPath: string;
  /** Values that people have given for this sandbox, as one JSON object. */
  readonly valuesFile: string;
  readonly variables: Readonly<Record<string, string | undefined>>;
}

interface EnvOptions {
  readonly workspace: string;
  readonly json?: true;
}

const workspaceOption = [
  "--workspace <folder>",
  "the workspace; this folder by default",
  ".",
] as const;
const jsonOption = ["--json", "print the answer as JSON"] as const;

export const addEnvCommands = (root: Command, place: () => EnvPlace, console: Console): void => {
  const env = root
    .command("env")
    .description("Keeps the workspace's files with environment variables.");

  env
    .command("apply")
    .description("Write the files of a specification: all of them, or none if one is wrong.")
    .requiredOption("--spec <json>", "the specification, or the file that it is in")
    .option(...workspaceOption)
    .option(...jsonOption)
    .action(async ({ spec, workspace, json }: EnvOptions & { readonly spec: string }) => {
      const here = place();
      const given = await readValues(here.valuesFile);
      const valueOf = (name: string) => given.get(name) ?? here.variables[name];
      const files = await explained(async () =>
        applyEnvFiles(await optionsOf(here, workspace), await readSpec(spec), valueOf),
      );
      if (json) return console.out({ written: files });
      for (const file of files) console.text(`wrote ${file}`);
    });

  env
    .command("scrub")
    .description("Remove what `env apply` has written, and what a specification names.")
    .option("--spec <json>", "the specification, or the file that it is in")
    .option(...workspaceOption)
    .option(...jsonOption)
    .action(async ({ spec, workspace, json }: EnvOptions & { readonly spec?: string }) => {
      const files = await explained(async () =>
        scrubEnvFiles(
          await optionsOf(place(), workspace),
          spec === undefined ? null : await readSpec(spec),
        ),
      );
      if (json) return console.out({ removed: files });
      for (const file of files) console.text(`removed ${file}`);
    });
};

const optionsOf = async (place: EnvPlace, folder: string): Promise<EnvFilesOptions> => {
  const workspace = await openWorkspace(folder);
  return {
    workspace,
    git: { workspace, home: place.home, searchPath: place.searchPath },
    recordFile: path.join(place.home, ".proliferate", "env-files.json"),
  };
};

const readSpec = async (spec: string): Promise<EnvSpec> => {
  const text = spec.trimStart().startsWith("{") ? spec : await readFile(spec, "utf8");
  const parsed = envSpecSchema.safeParse(parseJson(text));
  if (parsed.success) return parsed.data;
  throw new DomainError("request_invalid", `--spec: ${z.prettifyError(parsed.error)}`);
};

const valuesSchema = z.record(z.string(), z.string());

/** Nobody may have given any. */
const readValues = async (file: string): Promise<ReadonlyMap<string, string>> => {
  const text = await readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return "{}";
    throw error;
  });
  const parsed = valuesSchema.safeParse(parseJson(text));
  if (parsed.success) return new Map(Object.entries(parsed.data));
  throw new CommandFailed(exitCodes.usage, `${file} is not a JSON object of texts.`);
};

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // Refused by the schema.
  }
};

/** A wrong specification or place is the caller's, a full disk is not. */
const explained = async <T>(work: () => Promise<T>): Promise<T> => {
  try {
    return await work();
  } catch (error) {
    if (error instanceof DomainError && error.status < 500) {
      throw new CommandFailed(exitCodes.usage, error.message);
    }
    const reason = error instanceof Error ? error.message : String(error);
    throw new CommandFailed(exitCodes.failed, reason);
  }
};
