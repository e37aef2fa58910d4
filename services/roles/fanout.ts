import { type Fanout, startFanout } from "../fanout/fanout.ts";
import { pastOfSessions } from "../fanout/past-of-sessions.ts";
import { verifyLiveTicket } from "../identity/signed-tokens.ts";
import { allowedOrigins } from "../gateway/allowed-origins.ts";
import { createLiveCommands } from "../sessions/live-commands.ts";
import { openDirectory } from "../identity/directory.ts";
import { rememberingUsers } from "../identity/known-users.ts";
import type { Platform } from "../platform.ts";

/** Serves those who watch sessions live. */
export const startFanoutRole = async ({
  store,
  sql,
  keys,
  config,
  log,
}: Platform): Promise<Fanout> => {
  const { findUser } = await openDirectory(sql);
  return startFanout({
    store,
    host: config.HOST,
    port: config.FANOUT_PORT,
    allowOrigin: allowedOrigins(config.ALLOWED_ORIGINS, config.PUBLIC_URL ?? null).mayWatch,
    verifyTicket: (ticket) => verifyLiveTicket(keys.liveTickets, ticket, new Date()),
    commands: createLiveCommands({
      store,
      log,
      defaultModel: config.MODEL,
      findUser: rememberingUsers(findUser, () => new Date()),
    }),
    ...pastOfSessions(sql),
    log,
  });
};
