/**
 * What the boot needs of a machine. A provider implements this once, and every provider boots the same way.
 * Nothing here is a local process or a local file: all of it happens inside the sandbox.
 */
import type { Argv, Exec, SandboxFiles } from "../provider/exec.ts";

/** The long-running programs that the boot starts, each at most once per sandbox. */
export type ProgramName = "opencode" | "caddy" | "sidecar";

export interface ProgramLaunch {
  readonly name: ProgramName;
  readonly argv: Argv;
  /** Added to the sandbox's environment. */
  readonly env: Readonly<Record<string, string>>;
}

/** A program that was started detached: it outlives the control plane, and any instance finds it again. */
export interface Program {
  /** Whether it still lives; false as soon as it has ended. */
  running(): Promise<boolean>;
  /** The end of what it printed, for an error message. */
  logTail(): Promise<string>;
  /** Ends it and what it has started; ending what has ended does nothing. */
  stop(): Promise<void>;
}

/** The ports that the programs listen on inside. */
export interface SandboxPorts {
  readonly opencode: number;
  readonly preview: number;
  readonly sidecar: number;
}

/** What every sandbox uses that has a network of its own. */
export const standardPorts: SandboxPorts = { opencode: 4096, preview: 20_000, sidecar: 4000 };

/** A small text that belongs to the sandbox and is there again after a restart of the control plane. */
export interface BootRecordStore {
  /** Null when there is none. */
  read(): Promise<string | null>;
  /** Replaces it as a whole. */
  write(text: string): Promise<void>;
}

export interface Machine {
  /** Absolute paths inside. */
  readonly home: string;
  readonly workspace: string;
  /** Name or path of OpenCode inside. */
  readonly opencodeCommand: string;
  /** The address on which programs have to listen to be reached by `urlOf`. */
  readonly listenHost: "127.0.0.1" | "0.0.0.0";
  readonly files: SandboxFiles;
  readonly record: BootRecordStore;
  readonly exec: Exec;
  /** Makes the folders `home` and `workspace`. Running it again changes nothing. */
  prepare(): Promise<void>;
  /** Ports for a new boot. */
  choosePorts(): Promise<SandboxPorts>;
  /** Base URL at which the control plane reaches a port inside, without a slash at the end. */
  urlOf(port: number): Promise<string>;
  /** Starts a program in the workspace and does not wait until it is ready. */
  launch(launch: ProgramLaunch): Promise<Program>;
  /** The program of that name that somebody has launched before; null unless it runs. */
  find(name: ProgramName): Promise<Program | null>;
}
