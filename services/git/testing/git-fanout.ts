/** The live tier with git, for tests: whoever connects asks, and waits for the answer to that. */
import { pino } from "pino";
import { vi } from "vitest";
import type { SessionId, UserId } from "#contracts/ids";
import type { LiveAccess } from "#contracts/live/client-frames";
import type { ServerFrame } from "#contracts/live/messages";
import { startFanout } from "../../fanout/fanout.ts";
import { connectClient } from "../../fanout/testing/live-client.ts";
import type { TestGateway } from "../../gateway/testing/test-gateway.ts";
import { signLiveTicket, verifyLiveTicket } from "../../identity/signed-tokens.ts";
import { createLiveCommands } from "../../sessions/live/live-commands.ts";
import { createLiveGit } from "../live-git.ts";
import type { GitDeps } from "../operations.ts";

interface AskingClient {
  /** The frame that answers this one. */
  ask(frame: Readonly<Record<string, unknown>>): Promise<ServerFrame>;
}

export interface GitFanout {
  connect(userId: UserId, sessionId: SessionId, access?: LiveAccess): Promise<AskingClient>;
  close(): Promise<void>;
}

const patience = { timeout: 30_000, interval: 20 };

export const startGitFanout = async (gateway: TestGateway, deps: GitDeps): Promise<GitFanout> => {
  const { store, keys, identity, owner } = gateway;
  const log = pino({ level: "silent" });
  const { findUser } = identity;
  const fanout = await startFanout({
    store,
    port: 0,
    verifyTicket: (ticket) => verifyLiveTicket(keys.liveTickets, ticket, new Date()),
    commands: {
      ...createLiveCommands({ store, log, defaultModel: "model", findUser }),
      git: createLiveGit(deps),
    },
    loadTranscript: () => Promise.resolve([]),
    loadStatus: () => Promise.resolve("running"),
    log,
  });
  const { organizationId } = owner.user;
  return {
    connect: async (userId, sessionId, access = "take_part") => {
      const ticket = { sessionId, organizationId, userId, access };
      const { token } = await signLiveTicket(keys.liveTickets, ticket, new Date());
      const client = await connectClient(`ws://127.0.0.1:${fanout.port}/v1/live?ticket=${token}`);
      await vi.waitUntil(() => client.frames().length > 0, patience);
      return {
        ask: (frame) => {
          const before = client.frames().length;
          client.ws.send(JSON.stringify(frame));
          return vi.waitUntil(() => client.frames().slice(before)[0], patience);
        },
      };
    },
    close: () => fanout.close(),
  };
};
