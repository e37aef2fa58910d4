import type { OrganizationId, SessionId } from "#contracts/ids";
import { listMessages } from "#projections/messages/queries";
import { getSession } from "#projections/sessions/queries";
import { type Fanout, startFanout } from "../fanout/fanout.ts";
import { verifyLiveTicket } from "../identity/signed-tokens.ts";
import type { Platform } from "../platform.ts";

/** Serves those who watch sessions live. */
export const startFanoutRole = ({ store, sql, keys, config, log }: Platform): Promise<Fanout> =>
  startFanout({
    store,
    host: config.HOST,
    port: config.FANOUT_PORT,
    verifyTicket: (ticket) => verifyLiveTicket(keys.liveTickets, ticket, new Date()),
    loadTranscript: (organization: OrganizationId, session: SessionId) =>
      listMessages(sql, { organization, session }),
    loadStatus: async (organization: OrganizationId, id: SessionId) =>
      (await getSession(sql, { organization, id }))?.status ?? null,
    log,
  });
