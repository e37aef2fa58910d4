/**
 * Owns one session: takes its lease, and does what the session's state asks for until there is
 * nothing to own. The loop reads the state anew before every step, so that a nudge that got lost or
 * came twice makes no difference.
 */
import { setTimeout as delay } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { isDomainError } from "#contracts/errors";
import type { Lease, Leases } from "#event-store/leases/leases";
import { answerAsOwner } from "#event-store/live/owner-questions";
import { serveOwner, type WakeCause } from "#event-store/live/owner-requests";
import type { SandboxEndpoints } from "#contracts/sandbox/endpoints";
import type { SandboxRef } from "#sandbox/provider/sandbox";
import { loadSession, type SessionRef } from "../sessions/session-log.ts";
import {
  existing,
  type ExistingSession,
  type OpenPrompt,
  type SessionState,
} from "../sessions/aggregate/state.ts";
import { type ActionsGuide, createActionsGuide } from "./agent/actions-guide.ts";
import { answerPrompt } from "./agent/answer-prompt.ts";
import { inTurnSpan, rememberPromptTraces } from "./agent/prompt-traces.ts";
import { type Bell, createBell } from "./bell.ts";
import { type BroughtUp, bringUp, isStale } from "./sandbox/bring-up.ts";
import { failSession } from "./agent/finish-prompt.ts";
import { dropPrompt, droppingMeanwhile } from "./drop-prompts.ts";
import { letGo, type Successor } from "./let-go.ts";
import { countLosses } from "./agent/losses.ts";
import { migrate } from "./sandbox/migrate.ts";
import { nextStep, type Step } from "./next-step.ts";
import { endIdleSandbox, pause, pauseIdle } from "./sandbox/pause.ts";
import { endpointsOf } from "./sandbox/sandbox-endpoints.ts";
import { sandboxRefOf } from "./sandbox/sandbox-ref.ts";
import { afterFailedStart } from "./sandbox/start-retries.ts";
import { createSpareSandboxes, type SpareSandboxes } from "./sandbox/spare-sandboxes.ts";
import { takeOver, tellRecorded } from "./take-over.ts";
import { takeSnapshot } from "./sandbox/take-snapshot.ts";
import { tearDown } from "./sandbox/tear-down.ts";
import { createUpkeep, type Upkeep } from "./sandbox/upkeep.ts";
import { createOwnerContext, type OwnerContext, type RunnerDeps } from "./owner-context.ts";

export interface SessionOwner {
  readonly done: Promise<void>;
  /** Since when there has been nothing to do, by `performance.now()`; null while there is. */
  restingSince(): number | null;
  /** Lets the session go. */
  stop(to: Successor): Promise<void>;
}

export interface OwnerDeps extends RunnerDeps {
  readonly leases: Leases;
  /** Called when an owner begins to rest. */
  readonly onRest: () => void;
}

/** Takes the session, for this cause if it is known; answers null when somebody else has it. */
export const ownSession = async (
  deps: OwnerDeps,
  key: SessionRef,
  cause: WakeCause | null,
): Promise<SessionOwner | null> => {
  const lease = await deps.leases.acquire(key.session, deps.instance);
  if (!lease) {
    return null;
  }
  const stopping = new AbortController();
  const owner = new Owner(deps, key, lease, AbortSignal.any([lease.lost, stopping.signal]));
  const done = owner.run(cause);
  return {
    done,
    restingSince: () => owner.restingSince,
    stop: async (to) => {
      owner.handTo(to);
      stopping.abort();
      await done;
    },
  };
};

class Owner {
  readonly #deps: OwnerDeps;
  readonly #key: SessionRef;
  readonly #lease: Lease;
  readonly #signal: AbortSignal;
  readonly #bell: Bell = createBell();
  readonly #context: OwnerContext;
  readonly #spares: SpareSandboxes;
  readonly #upkeep: Upkeep;
  readonly #guide: ActionsGuide;
  /** The conversation with the agent, the sandbox that it is in, and which tools it asks for. */
  #held: BroughtUp | null = null;
  /** As the state told it last: it has to be put away when the log cannot be asked, too. */
  #sandbox: SandboxRef;
  readonly #traces = rememberPromptTraces();
  readonly #losses = countLosses(() => performance.now());
  #successor: Successor = "nobody";
  restingSince: number | null = null;

  constructor(deps: OwnerDeps, key: SessionRef, lease: Lease, signal: AbortSignal) {
    this.#deps = deps;
    this.#key = key;
    this.#lease = lease;
    this.#signal = signal;
    this.#sandbox = sandboxRefOf(key.session, { status: "none" });
    this.#context = createOwnerContext(deps, { ...key, epoch: lease.epoch });
    this.#guide = createActionsGuide(this.#context);
    this.#upkeep = createUpkeep(this.#context, () => this.#bell.ring());
    this.#spares = createSpareSandboxes(this.#context, () => this.#bell.ring());
  }

  /** Says who comes next, for when this owner is stopped. */
  handTo(successor: Successor): void {
    this.#successor = successor;
  }

  async run(cause: WakeCause | null): Promise<void> {
    const { store, log } = this.#deps;
    const { session } = this.#key;
    this.#traces.note(cause);
    const ring = (woken: WakeCause | null): void => {
      this.#traces.note(woken);
      this.#bell.ring();
    };
    const listening = serveOwner(store, session, { wake: ring, cancel: ring });
    const endpoints = (): SandboxEndpoints | null => this.#held && endpointsOf(this.#held.sandbox);
    const answering = answerAsOwner(store, session, { endpoints });
    try {
      const state = await this.#state();
      if (state.status !== "none" && state.status !== "stopped") {
        await takeOver(this.#context);
      }
      for (let more = true; more && !this.#signal.aborted;) {
        more = await this.#stepUnlessStopped();
      }
    } catch (error) {
      // What is called off in the middle of a step fails.
      if (!isStale(error) && !this.#signal.aborted) {
        log.error({ err: error, sessionId: session }, "a session's owner gave up");
      }
    } finally {
      if (this.#lease.lost.aborted) {
        const reason: unknown = this.#lease.lost.reason;
        log.warn({ err: reason, sessionId: session }, "a session's lease was lost");
      }
      listening.stop();
      answering.stop();
      this.#spares.close();
      await this.#letGo();
    }
  }

  /** A session that is deleted in the middle of a step still has a sandbox to tear down. */
  async #stepUnlessStopped(): Promise<boolean> {
    try {
      return await this.#step();
    } catch (error) {
      if (isDomainError(error, "session_stopped")) {
        return true;
      }
      throw error;
    }
  }

  /** Does one thing; answers whether there may be more. */
  async #step(): Promise<boolean> {
    const state = await this.#state();
    const step = this.#stepFor(state);
    await this.#keepUp(state);
    switch (step.kind) {
      case "leave":
        return false;
      case "wait":
      case "try_services":
        await this.#untilWoken({ resting: step.kind === "wait" });
        return true;
      case "bring_up":
        return this.#bringUp(existing(state));
      case "drop_prompt":
        await dropPrompt(this.#context, step.prompt);
        return true;
      case "answer":
        if (!step.prompt.started && (await this.#asksByAnOldPolicy())) {
          await this.#closeConversation();
          return true;
        }
        await this.#answer(step.prompt);
        return true;
      case "snapshot":
        await takeSnapshot(
          this.#context,
          { sandbox: this.#sandbox, kind: existing(state).kind },
          step.request,
        );
        return true;
      case "pause":
        await this.#closeConversation();
        await (step.idle
          ? pauseIdle(this.#context, this.#sandbox, this.#signal)
          : pause(this.#context, this.#sandbox));
        return true;
      case "end_idle_sandbox":
        await this.#closeConversation();
        await endIdleSandbox(this.#context, this.#sandbox);
        return true;
      case "migrate":
        await this.#migrate(existing(state));
        return true;
      case "end_spares":
        await this.#spares.end(step.spares, this.#signal);
        return true;
      case "tear_down":
        await this.#closeConversation();
        await tellRecorded(this.#context, existing(state).cutOff);
        await tearDown(this.#context, existing(state));
        this.#context.tell({ type: "status", status: "stopped", detail: null });
        return false;
    }
  }

  #meanwhile<Result>(work: Promise<Result>): Promise<Result> {
    return droppingMeanwhile(this.#context, { work, bell: this.#bell, signal: this.#signal });
  }

  #stepFor(state: SessionState): Step {
    return nextStep(state, {
      sandboxHeld: this.#held !== null,
      sparesPutOff: this.#spares.putOff(),
    });
  }

  /** Which tools ask is settled when the agent's server starts: it is started anew between two prompts. */
  async #asksByAnOldPolicy(): Promise<boolean> {
    const { organization, session: sessionId } = this.#key;
    const now = await this.#deps.agentTools.permissions({ organization, sessionId });
    return !isDeepStrictEqual(now, this.#held?.toolPermissions);
  }

  /** The conversation goes over to the new sandbox, or stays where it is. */
  async #migrate(state: ExistingSession): Promise<void> {
    const moved = await this.#meanwhile(migrate(this.#context, state, this.#signal));
    if (moved === null) return;
    this.#upkeep.forget();
    const former = this.#held;
    this.#held = moved;
    await former?.conversation.close();
  }

  async #bringUp(state: ExistingSession): Promise<boolean> {
    try {
      const wasLost = this.#losses.isReplacing();
      const limits = { wasLost, signal: this.#signal };
      this.#held = await this.#meanwhile(bringUp(this.#context, state, limits));
      this.#losses.began();
    } catch (error) {
      if (isStale(error) || this.#signal.aborted) {
        throw error;
      }
      this.#deps.log.warn(
        { err: error, sessionId: this.#key.session },
        "a sandbox did not come up",
      );
      const isDue = async () => this.#stepFor(await this.#state()).kind === "bring_up";
      const waiting = { bell: this.#bell, isDue, signal: this.#signal };
      await afterFailedStart(this.#context, { state, error }, waiting);
    }
    return true;
  }

  async #answer(prompt: OpenPrompt): Promise<void> {
    if (!this.#held) return;
    const { conversation, sandbox: running } = this.#held;
    const guide = this.#guide.keep(this.#sandbox, running);
    const answer = {
      ...{ conversation, prompt, sandbox: this.#sandbox, bell: this.#bell },
      ...{ keepUp: (state: SessionState) => this.#keepUp(state), signal: this.#signal },
    };
    const turn = { promptId: prompt.promptId, traces: this.#traces };
    try {
      await inTurnSpan(this.#context, turn, (context) => answerPrompt(context, answer));
      this.#losses.answered();
    } catch (error) {
      if (isStale(error) || this.#signal.aborted) {
        throw error;
      }
      // Its sandbox is about to be left, or was put away: the prompt waits for the next one.
      if (isDomainError(error, "session_not_running")) return;
      await this.#afterLoss(error, { answering: true });
    } finally {
      guide.stop();
    }
  }

  async #keepUp(state: SessionState): Promise<void> {
    if (this.#held) await this.#upkeep.bringUpToDate(this.#sandbox, this.#held.sandbox, state);
  }

  async #untilWoken({ resting }: { readonly resting: boolean }): Promise<void> {
    this.restingSince = resting ? performance.now() : null;
    if (resting) this.#deps.onRest();
    await Promise.race([this.#bell.wait(this.#signal), this.#held?.conversation.ended]);
    this.restingSince = null;
    await this.#dropLostConversation();
  }

  async #dropLostConversation(): Promise<void> {
    const error = await Promise.race([this.#held?.conversation.ended, Promise.resolve(null)]);
    if (error && !this.#signal.aborted) {
      await this.#afterLoss(error, { answering: false });
    }
  }

  /** The next step brings the agent up again, after a while, unless it was lost too often. */
  async #afterLoss(error: unknown, { answering }: { readonly answering: boolean }): Promise<void> {
    const after = this.#losses.lost(answering);
    this.#deps.log.warn(
      { err: error, sessionId: this.#key.session, answering, ...after },
      "the agent was lost",
    );
    await this.#closeConversation();
    if (after.next === "restart") {
      // Stopped meanwhile: whoever goes on looks at the signal.
      await delay(after.delayMs, undefined, { signal: this.#signal }).catch(() => undefined);
    } else {
      await failSession(this.#context, existing(await this.#state()), error);
    }
  }

  async #closeConversation(): Promise<void> {
    const held = this.#held;
    this.#held = null;
    this.#upkeep.forget();
    await held?.conversation.close();
  }

  async #letGo(): Promise<void> {
    await this.#closeConversation();
    const owned = { key: this.#key, lease: this.#lease, sandbox: this.#sandbox };
    await letGo(this.#deps, { ...owned, to: this.#successor });
  }

  async #state(): Promise<SessionState> {
    const state = await loadSession(this.#deps.store, this.#key);
    this.#sandbox = sandboxRefOf(this.#key.session, state);
    return state;
  }
}
