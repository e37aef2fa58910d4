import type { Logger } from "pino";
import type { UserId } from "#contracts/ids";
import {
  type ClientFrame,
  clientFrameSchema,
  type ClientRequest,
  type LiveAccess,
} from "#contracts/live/client-frames";
import { isGitFrame } from "#contracts/live/git-frames";
import { closeCodes, type ServerFrame } from "#contracts/live/messages";
import { carryOutRequest, type LiveCommands } from "./client-requests.ts";
import { type EncodedFrame, encodeFrame, type LiveFrame } from "../frame.ts";
import { FrameBudget } from "./frame-budget.ts";
import type { FanoutLimits } from "../limits.ts";
import type { WatchKey } from "../watched-session/live-feed.ts";
import { parseLiveQuery } from "./live-query.ts";
import { loadInit, type PastOfSession } from "../watched-session/load-init.ts";
import { RequestQueue } from "./request-queue.ts";
import type { Socket, SocketListener, SocketRequest } from "../sockets/socket-server.ts";
import type { Watcher, WatchedSession } from "../watched-session/watched-session.ts";
import type { WatchedSessions, WatchHold } from "../watched-session/watched-sessions.ts";

/** What a valid ticket says. */
export interface LiveTicket extends WatchKey {
  readonly userId: UserId;
  readonly access: LiveAccess;
}

/** Checks a ticket; rejects if it is forged, expired or not for the live channel. */
export type VerifyTicket = (ticket: string) => Promise<LiveTicket>;

/** Counts of what the clients were told, since the start. */
export interface ClientCounts {
  framesSent: number;
  slowConsumers: number;
}

export interface LiveClientDeps extends PastOfSession {
  readonly sessions: WatchedSessions;
  readonly verifyTicket: VerifyTicket;
  /** Null where clients only listen. */
  readonly commands: LiveCommands | null;
  readonly limits: FanoutLimits;
  readonly counts: ClientCounts;
  readonly log: Logger;
}

/** Close codes of RFC 6455 for faults of ours: the client should come back. */
const internalError = 1011;
const tryAgainLater = 1013;

/** How often an `init` is made again because what followed it was dropped from the ring meanwhile. */
const maxInits = 3;

/** One connected client: let in, brought up to date, told of every frame, cut off if it does not read. */
export class LiveClient implements SocketListener, Watcher {
  readonly #socket: Socket;
  readonly #deps: LiveClientDeps;
  #log: Logger;
  readonly #budget: FrameBudget;
  #ticket: LiveTicket | null = null;
  /** Whether it wants to be told who is there. */
  #wantsPresence = false;
  readonly #requests: RequestQueue;
  /** A push may take minutes, and a cancellation does not wait for it. */
  readonly #gitRequests: RequestQueue;
  #hold: WatchHold | null = null;
  #closed = false;
  /** Grows when a new welcome begins; an older one that is still waiting then gives up. */
  #round = 0;
  #welcomeTimer: NodeJS.Timeout | null = null;
  /** How much of the welcome is unread at most: it may be larger than the limit, and waits beside it. */
  #welcomeBytes = 0;

  constructor(socket: Socket, request: SocketRequest, deps: LiveClientDeps) {
    this.#socket = socket;
    this.#deps = deps;
    this.#log = deps.log;
    this.#budget = new FrameBudget(deps.limits.clientFrames, performance.now());
    this.#requests = new RequestQueue(deps.limits.waitingRequests);
    this.#gitRequests = new RequestQueue(deps.limits.waitingRequests);
    this.#begin(() => this.#enter(request));
  }

  message(text: string | null): void {
    if (this.#closed) return;
    if (!this.#budget.take(performance.now())) {
      this.#refuse(
        closeCodes.tooManyFrames,
        "too_many_frames",
        "These are too many frames at once.",
      );
      return;
    }
    const frame = parseClientFrame(text);
    if (frame) this.#take(frame);
    else this.#refuse(closeCodes.frameInvalid, "frame_invalid", "The frame is not one of ours.");
  }

  close(): void {
    this.#closed = true;
    if (this.#welcomeTimer) clearTimeout(this.#welcomeTimer);
    this.#hold?.session.leave(this);
    this.#hold?.release();
    this.#hold = null;
  }

  /** What waits in this process until the client reads it. */
  bufferedBytes(): number {
    return this.#socket.bufferedBytes();
  }

  deliver(frames: readonly LiveFrame[]): void {
    this.#sendUnlessSlow(frames);
  }

  startOver(): void {
    const session = this.#hold?.session;
    const ticket = this.#ticket;
    if (session && ticket) this.#begin(() => this.#welcome(session, ticket, null));
  }

  #take(frame: ClientFrame): void {
    switch (frame.type) {
      case "ping":
        this.#send({ type: "pong" });
        return;
      case "typing":
        if (this.#ticket?.access === "take_part") this.#hold?.attendance.typing(frame.typing);
        return;
      case "get_messages":
        this.#hold?.session.leave(this);
        this.startOver();
        return;
      default:
        this.#enqueue(frame);
    }
  }

  #enqueue(frame: ClientRequest | Extract<ClientFrame, { type: "get_status" }>): void {
    const queue = isGitFrame(frame) ? this.#gitRequests : this.#requests;
    const taken = queue.add(async () => {
      // Nobody is left to be told what git answers, and whoever comes back asks again.
      if (isGitFrame(frame) && this.#closed) return;
      const answer = await (frame.type === "get_status"
        ? this.#statusOf(this.#ticket)
        : this.#answer(frame, this.#ticket));
      if (answer) this.#send(answer);
    });
    if (taken) return;
    const why = { code: "too_many_live_requests", detail: "Wait for the answers first." };
    if (frame.type === "get_status") this.#send({ type: "error", ...why });
    else this.#send({ type: "refused", requestId: frame.requestId, ...why });
  }

  async #statusOf(ticket: LiveTicket | null): Promise<ServerFrame | null> {
    if (!ticket) return null; // The status comes with the first frame.
    try {
      const status = await this.#deps.loadStatus(ticket.organizationId, ticket.sessionId);
      return status && { type: "status", status };
    } catch (error) {
      this.#log.error({ err: error }, "the status of a session could not be read");
      return { type: "error", code: "internal", detail: "The session could not be read." };
    }
  }

  async #answer(request: ClientRequest, by: LiveTicket | null): Promise<ServerFrame> {
    const { commands } = this.#deps;
    const isQuestion = request.type === "get_git_status";
    if (commands && by && (isQuestion || by.access === "take_part")) {
      return carryOutRequest(commands, { by, log: this.#log }, request);
    }
    const detail = by ? "This connection may only watch." : "Wait for the first frame.";
    return { type: "refused", requestId: request.requestId, code: "forbidden", detail };
  }

  /** Runs a welcome; whatever goes wrong in it ends the connection, and the client comes back. */
  #begin(welcome: () => Promise<void>): void {
    this.#round += 1;
    if (this.#welcomeTimer) clearTimeout(this.#welcomeTimer);
    this.#welcomeTimer = setTimeout(() => {
      this.#log.warn("a client could not be brought up to date in time");
      this.#refuse(tryAgainLater, "log_unavailable", "The live channel cannot be reached.");
    }, this.#deps.limits.welcomeTimeoutMs);
    welcome().catch((error: unknown) => {
      this.#log.error({ err: error }, "a client could not be brought up to date");
      this.#refuse(internalError, "internal", "The session could not be read.");
    });
  }

  async #enter({ query }: SocketRequest): Promise<void> {
    const wanted = parseLiveQuery(query);
    if (wanted === "malformed") {
      this.#refuse(closeCodes.frameInvalid, "request_invalid", "The query is malformed.");
      return;
    }
    if (wanted === "protocol_unsupported") {
      const detail = "This version of the protocol is not spoken here.";
      this.#refuse(closeCodes.protocolUnsupported, wanted, detail);
      return;
    }
    const ticket = await this.#verify(wanted.ticket);
    if (this.#closed) return;
    if (!ticket) {
      this.#refuse(closeCodes.unauthenticated, "unauthenticated", "The ticket is not valid.");
      return;
    }
    const { sessionId, organizationId, userId } = ticket;
    this.#log = this.#log.child({ sessionId, organizationId, userId });
    this.#ticket = ticket;
    this.#wantsPresence = wanted.presence;
    this.#hold = this.#deps.sessions.hold({ sessionId, organizationId }, userId);
    await this.#welcome(this.#hold.session, ticket, wanted.lastSeq);
  }

  async #verify(ticket: string): Promise<LiveTicket | null> {
    try {
      return await this.#deps.verifyTicket(ticket);
    } catch (error) {
      // Whatever keeps a ticket from being verified, it opens nothing.
      this.#log.info({ err: error }, "a live ticket was refused");
      return null;
    }
  }

  async #welcome(session: WatchedSession, key: WatchKey, lastSeq: number | null): Promise<void> {
    const round = this.#round;
    const isOver = (): boolean => this.#closed || this.#round !== round;
    await session.ready;
    if (isOver()) return;
    const missed = lastSeq === null ? null : session.resume(lastSeq);
    if (lastSeq !== null && missed) {
      this.#admit(session, { type: "resumed", seq: lastSeq }, missed);
      return;
    }
    for (let inits = 0; inits < maxInits; inits += 1) {
      const init = await loadInit(session, key, this.#deps);
      if (isOver()) return;
      if (!init) {
        this.#refuse(closeCodes.notFound, "session_not_found", "There is no such session.");
        return;
      }
      const following = session.since(init.snapshot);
      if (following) {
        this.#admit(session, init.frame, following);
        return;
      }
      await session.ready;
      if (isOver()) return;
    }
    this.#refuse(tryAgainLater, "log_unavailable", "The session runs ahead of its transcript.");
  }

  /** Sends the first frame and what follows it, and joins, in one go: nothing can come in between. */
  #admit(session: WatchedSession, first: ServerFrame, following: readonly LiveFrame[]): void {
    if (this.#welcomeTimer) clearTimeout(this.#welcomeTimer);
    this.#sendNow([encodeFrame(first), ...following]);
    this.#welcomeBytes = this.#socket.bufferedBytes();
    if (this.#closed) return;
    session.join(this);
    if (this.#wantsPresence) {
      this.#hold?.attendance.follow((frame) => {
        this.#sendUnlessSlow([frame]);
      });
    }
  }

  #send(frame: ServerFrame): void {
    this.#sendUnlessSlow([encodeFrame(frame)]);
  }

  #sendUnlessSlow(frames: readonly EncodedFrame[]): void {
    if (this.#closed) return;
    const waiting = this.#socket.bufferedBytes();
    this.#welcomeBytes = Math.min(this.#welcomeBytes, waiting);
    if (waiting > this.#deps.limits.maxBackpressure + this.#welcomeBytes) this.#cutOff(waiting);
    else this.#sendNow(frames);
  }

  #sendNow(frames: readonly EncodedFrame[]): void {
    if (this.#closed) return;
    // The client of a socket that is already gone resumes with the next one.
    if (this.#socket.send(frames)) this.#deps.counts.framesSent += frames.length;
    else this.#end(tryAgainLater, "connection_lost");
  }

  #cutOff(waiting: number): void {
    this.#deps.counts.slowConsumers += 1;
    this.#log.warn({ waiting }, "a client reads too slowly and is cut off");
    this.#end(closeCodes.slowConsumer, "slow_consumer");
  }

  #refuse(code: number, reason: string, detail: string): void {
    if (this.#closed) return;
    this.#send({ type: "error", code: reason, detail });
    this.#end(code, reason);
  }

  #end(code: number, reason: string): void {
    this.close();
    this.#socket.close(code, reason);
  }
}

const parseClientFrame = (text: string | null): ClientFrame | null => {
  if (text === null) return null;
  try {
    return clientFrameSchema.safeParse(JSON.parse(text)).data ?? null;
  } catch {
    return null; // Not JSON: as invalid as any other frame that is none of ours.
  }
};
