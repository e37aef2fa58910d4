import { jetstream, jetstreamManager } from "@nats-io/jetstream";
import { connect } from "@nats-io/transport-node";
import { expect, it, vi } from "vitest";
import { startTestNatsCluster } from "../testing/test-nats-cluster.ts";

const timeout = 30_000;

it("goes on while one node is away, lame or killed, and takes it back on its folder", async () => {
  await using cluster = await startTestNatsCluster();
  const connection = await connect({ servers: cluster.url.split(","), maxReconnectAttempts: -1 });
  const manager = await jetstreamManager(connection);
  await manager.streams.add({ name: "KEPT", subjects: ["kept"], num_replicas: 3 });
  const publish = () => jetstream(connection).publish("kept", "x", { timeout: 1_000 });
  await vi.waitFor(publish, { timeout });

  const lame = cluster.node("n1");
  lame.enterLameDuckMode();
  await vi.waitUntil(() => !lame.isRunning(), { timeout });
  await vi.waitFor(publish, { timeout });
  await lame.start();
  await cluster.whenHealthy();

  const killed = cluster.node("n2");
  await killed.kill();
  expect(killed.isRunning()).toBe(false);
  await vi.waitFor(publish, { timeout });
  await killed.start();
  await cluster.whenHealthy();
  // A publish that was tried again may be there twice; none that was answered is missing.
  const { state } = await manager.streams.info("KEPT");
  expect(state.messages).toBeGreaterThanOrEqual(3);
  await connection.close();
}, 180_000);
