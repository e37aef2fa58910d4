import { type Fanout, startFanout } from "../fanout/fanout.ts";
import { pastOfSessions } from "../fanout/past-of-sessions.ts";
import { verifyLiveTicket } from "../identity/signed-tokens.ts";
import type { Platform } from "../platform.ts";

/** Serves those who watch sessions live. */
export const startFanoutRole = ({ store, sql, keys, config, log }: Platform): Promise<Fanout> =>
  startFanout({
    store,
    host: config.HOST,
    port: config.FANOUT_PORT,
    verifyTicket: (ticket) => verifyLiveTicket(keys.liveTickets, ticket, new Date()),
    ...pastOfSessions(sql),
    log,
  });
