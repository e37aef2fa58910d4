import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { Command } from "commander";
import { DomainError } from "#contracts/errors";
import { auditReplicas, describeAlarm } from "#event-store/replicas/audit-replicas";
import { healReplica, type NodeControl } from "#event-store/replicas/heal-replica";
import type { CliContext } from "../context.ts";

const defaultAuditSeconds = 5;
const defaultHealSeconds = 600;

interface AuditFlags {
  readonly patience: string;
  readonly json?: true;
}

interface HealFlags {
  readonly node: string;
  readonly stream: string;
  readonly stop?: string;
  readonly start?: string;
  readonly patience: string;
}

/** `streams audit|heal`: whether every node holds what the others hold. */
export const addReplicaCommands = (streams: Command, context: CliContext): void => {
  streams
    .command("audit")
    .description("compare every replica of every event stream")
    .option("--patience <seconds>", "how long a late replica may take", String(defaultAuditSeconds))
    .option("--json", "for machines")
    .action(async ({ patience, json }: AuditFlags) => {
      const { readings, alarms } = await auditReplicas({
        monitors: monitorsOf(context),
        patienceMs: millisecondsOf(patience),
      });
      const replicas = readings.flatMap((reading) => reading.replicas);
      if (json === true) {
        context.print(JSON.stringify({ replicas, alarms }));
      } else {
        for (const { stream, node, messages, lastSequence } of replicas) {
          context.print(`${stream} ${node}: ${messages} messages up to ${lastSequence}`);
        }
        for (const alarm of alarms) {
          context.print(`ALARM ${describeAlarm(alarm)}`);
        }
        if (alarms.length === 0) {
          context.print("Every replica is whole.");
        }
      }
      if (alarms.length > 0) process.exitCode = 1;
    });
  streams
    .command("heal")
    .description("restore a damaged replica from the others; on the host of its node")
    .requiredOption("--node <name>", "the node, as `streams audit` names it")
    .requiredOption("--stream <name>", "the stream")
    .option("--stop <command>", "stops the node's server; without it, you are asked to")
    .option("--start <command>", "starts it again; without it, you are asked to")
    .option("--patience <seconds>", "how long each step may take", String(defaultHealSeconds))
    .action(async ({ node, stream, stop, start, patience }: HealFlags) => {
      await healReplica({
        monitors: monitorsOf(context),
        node,
        stream,
        control: controlOf(context, { node, stop, start }),
        patienceMs: millisecondsOf(patience),
        onProgress: context.print,
      });
      context.print(`The replica of ${stream} on ${node} is whole.`);
    });
};

const monitorsOf = ({ config }: CliContext): readonly string[] => {
  if (config.NATS_MONITORS === undefined) {
    throw new DomainError(
      "configuration_invalid",
      "Set NATS_MONITORS to the monitoring URLs of all nodes: only a node itself tells what it holds.",
    );
  }
  return config.NATS_MONITORS;
};

const millisecondsOf = (seconds: string): number => {
  const value = Number(seconds);
  if (!Number.isFinite(value) || value < 0) {
    throw new DomainError("configuration_invalid", `"${seconds}" is no number of seconds.`);
  }
  return value * 1_000;
};

/** Whatever runs the server is the operator's: a command of theirs, or their own hands. */
const controlOf = (
  { print }: CliContext,
  commands: {
    readonly node: string;
    readonly stop: string | undefined;
    readonly start: string | undefined;
  },
): NodeControl => {
  const step = (name: "stop" | "start") => async (): Promise<void> => {
    const command = commands[name];
    if (command === undefined) {
      print(`Now ${name} the server of ${commands.node}.`);
      return;
    }
    await promisify(execFile)("/bin/sh", ["-c", command]);
  };
  return { stop: step("stop"), start: step("start") };
};
