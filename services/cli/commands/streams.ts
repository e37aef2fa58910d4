import type { Command } from "commander";
import { jetstreamManager } from "@nats-io/jetstream";
import { connectToNats } from "#event-store/connection";
import { durabilities } from "#event-store/durability";
import { applyTopology, planTopology, type StreamChange } from "#event-store/topology/plan";
import { streamDefinitions } from "#event-store/topology/streams";
import { type CliContext, natsUrlOf } from "../context.ts";
import { addReplicaCommands } from "./streams-replicas.ts";

/** `streams plan|apply|audit|heal`: how the streams and their replicas differ from what they should be. */
export const addStreamCommands = (program: Command, context: CliContext): void => {
  const streams = program.command("streams").description("the streams of the log");
  streams
    .command("plan")
    .description("what apply would change; changes nothing")
    .action(() => run(context, planTopology));
  streams
    .command("apply")
    .description("create and update the streams")
    .action(() => run(context, applyTopology));
  addReplicaCommands(streams, context);
};

const run = async (context: CliContext, work: typeof planTopology): Promise<void> => {
  const { EVENT_SHARDS: shards, DURABILITY: durability } = context.config;
  const connection = await connectToNats({ url: await natsUrlOf(context), name: "cli" });
  try {
    const changes = await work(
      await jetstreamManager(connection),
      streamDefinitions({ shards, replicas: durabilities[durability].replicas }),
    );
    for (const change of changes) {
      context.print(describe(change));
    }
    if (changes.length === 0) {
      context.print("Every stream is as it should be.");
    }
  } finally {
    await connection.close();
  }
};

const describe = (change: StreamChange): string =>
  change.kind === "create"
    ? `create ${change.stream}`
    : `update ${change.stream}: ${Object.entries(change.settings)
        .map(([name, { from, to }]) => `${name} ${JSON.stringify(from)} → ${JSON.stringify(to)}`)
        .join(", ")}`;
