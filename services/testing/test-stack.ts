/** The whole program for tests: every role in this process, on servers and a folder of its own. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pino } from "pino";
import type { OrganizationId } from "#contracts/ids";
import { createTestDatabase } from "#infra/testing/test-database";
import { startTestNats } from "#infra/testing/test-nats";
import { type Client, createClient } from "../client/client.ts";
import { readConfig } from "../config.ts";
import { runningStack } from "../running.ts";
import { type Program, startProgram } from "../start-program.ts";

export interface TestStack {
  readonly url: string;
  /** Of an owner; signs in once. */
  readonly signInToken: string;
  /** Signed in as that owner. */
  readonly client: Client;
  readonly organization: OrganizationId;
  readonly program: Program;
  /** For programs that run beside this one. */
  readonly environment: Readonly<Record<string, string>>;
  readonly dataDir: string;
  close(): Promise<void>;
}

/** Starts the program with these settings on top of those for tests. */
export const startTestStack = async (
  settings: Readonly<Record<string, string>> = {},
): Promise<TestStack> => {
  const started = runningStack();
  try {
    const dataDir = await mkdtemp(join(tmpdir(), "proliferate-test-"));
    started.add({ stop: () => rm(dataDir, { recursive: true, force: true }) });
    const nats = await startTestNats();
    started.add(nats);
    const database = await createTestDatabase();
    started.add({ stop: () => database.drop() });
    const environment = {
      NATS_URL: nats.url,
      DATABASE_URL: database.url,
      DATA_DIR: dataDir,
      PORT: "0",
      FANOUT_PORT: "0",
      DURABILITY: nats.durability,
      LOG_LEVEL: "error",
      SECRETS_KEY: "11".repeat(32),
      ...settings,
    };
    const program = await startProgram({
      config: readConfig(environment),
      log: pino({ level: environment.LOG_LEVEL }, pino.destination(2)),
      environment: process.env,
    });
    started.add(program);
    if (!program.gateway) {
      throw new Error("A test stack runs the gateway.");
    }
    const { url, identity } = program.gateway;
    const owner = await identity.ensureFirstOwner();
    const { accessToken } = await identity.signIn(await identity.issueSignInToken(owner.id));
    return {
      url,
      client: createClient({ baseUrl: url, accessToken }),
      signInToken: await identity.issueSignInToken(owner.id),
      organization: owner.organizationId,
      program,
      environment,
      dataDir,
      close: started.stop,
    };
  } catch (error) {
    await started.stop();
    throw error;
  }
};
