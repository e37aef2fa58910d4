import { openProgress } from "#projections/wait-for-position";
import { type Fanout, startFanout } from "../fanout/fanout.ts";
import { pastOfSessions } from "../fanout/watched-session/past-of-sessions.ts";
import { verifyLiveTicket } from "../identity/signed-tokens.ts";
import { createLiveGit } from "../git/live-git.ts";
import { openSidecarAccess } from "../git/sidecar-access.ts";
import { allowedOrigins } from "../gateway/browsers/allowed-origins.ts";
import { createLiveCommands } from "../sessions/live/live-commands.ts";
import { openDirectory } from "../identity/directory.ts";
import { rememberingUsers } from "../identity/known-users.ts";
import type { ConnectorAccess } from "../integrations/connectors/access.ts";
import type { Platform } from "../platform.ts";
import { runningStack } from "../running.ts";

/** Serves those who watch sessions live. */
export const startFanoutRole = async (
  platform: Platform,
  { secrets, outbound }: Pick<ConnectorAccess, "secrets" | "outbound">,
): Promise<Fanout> => {
  const { store, sql, keys, config, log, metrics } = platform;
  const started = runningStack();
  try {
    const findUser = rememberingUsers((await openDirectory(sql)).findUser, () => new Date());
    const progress = await openProgress(sql);
    started.add({ stop: () => progress.close() });
    const fanout = await startFanout({
      store,
      host: config.HOST,
      port: config.FANOUT_PORT,
      allowOrigin: allowedOrigins(config.ALLOWED_ORIGINS, config.PUBLIC_URL ?? null).mayWatch,
      verifyTicket: (ticket) => verifyLiveTicket(keys.liveTickets, ticket, new Date()),
      commands: {
        ...createLiveCommands({ store, log, defaultModel: config.MODEL, findUser }),
        git: createLiveGit({
          ...openSidecarAccess(platform),
          ...{ store, secrets, outbound, findUser },
        }),
      },
      ...pastOfSessions(sql, progress),
      log,
    });
    started.add({ stop: () => fanout.close() });
    metrics.live.follow("websocket", fanout.stats);
    return { ...fanout, close: started.stop, [Symbol.asyncDispose]: started.stop };
  } catch (error) {
    await started.stop();
    throw error;
  }
};
