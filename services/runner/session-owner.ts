/**
 * Owns one session: takes its lease, and does what the session's state asks for until there is
 * nothing to own. The loop reads the state anew before every step, so that a nudge that got lost or
 * came twice makes no difference.
 */
import { setTimeout as delay } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { isDomainError } from "#contracts/errors";
import type { OrganizationId, SessionId } from "#contracts/ids";
import type { Lease, Leases } from "#event-store/leases";
import { loadAggregate } from "#event-store/load";
import { answerAsOwner } from "#event-store/owner-questions";
import { serveOwner } from "#event-store/owner-requests";
import type { SandboxEndpoints } from "#contracts/sandbox/endpoints";
import type { ToolPermissions } from "#sandbox/provider/spec";
import type { SandboxRef } from "#sandbox/provider/sandbox";
import { sessionAggregate } from "../sessions/decider.ts";
import type {
  ExistingSession,
  OpenPrompt,
  SessionState,
  SnapshotRequest,
} from "../sessions/state.ts";
import { type ActionsGuide, createActionsGuide } from "./actions-guide.ts";
import { answerPrompt } from "./answer-prompt.ts";
import { type Bell, createBell } from "./bell.ts";
import { bringUp, failureOf, isStale } from "./bring-up.ts";
import type { Conversation } from "./conversation.ts";
import { nextStep } from "./next-step.ts";
import { endIdleSandbox, pause, pauseIdle } from "./pause.ts";
import { endpointsOf } from "./sandbox-endpoints.ts";
import { sandboxRefOf } from "./sandbox-ref.ts";
import { takeSnapshot } from "./take-snapshot.ts";
import { createOwnerContext, type OwnerContext, type RunnerDeps } from "./owner-context.ts";

export interface SessionKey {
  readonly organization: OrganizationId;
  readonly session: SessionId;
}

export interface SessionOwner {
  readonly done: Promise<void>;
  /** Lets the session go and puts its sandbox away, as it is. */
  stop(): Promise<void>;
}

/** Sandboxes that break while they are used are brought up again this often before the session fails. */
const maxLosses = 3;

/** Takes the session, or answers null when somebody else has it. */
export const ownSession = async (
  deps: RunnerDeps,
  leases: Leases,
  key: SessionKey,
): Promise<SessionOwner | null> => {
  const lease = await leases.acquire(key.session, deps.instance);
  if (!lease) {
    return null;
  }
  const stopping = new AbortController();
  const owner = new Owner(deps, key, lease, AbortSignal.any([lease.lost, stopping.signal]));
  const done = owner.run();
  return {
    done,
    stop: async () => {
      stopping.abort();
      await done;
    },
  };
};

class Owner {
  readonly #deps: RunnerDeps;
  readonly #key: SessionKey;
  readonly #lease: Lease;
  readonly #signal: AbortSignal;
  readonly #bell: Bell = createBell();
  readonly #context: OwnerContext;
  readonly #guide: ActionsGuide;
  #conversation: Conversation | null = null;
  /** Which tools the agent of the conversation asks for. */
  #toolPermissions: ToolPermissions | null = null;
  /** Of the sandbox that the conversation is with. */
  #endpoints: SandboxEndpoints | null = null;
  /** As the state told it last: it has to be put away when the log cannot be asked, too. */
  #sandbox: SandboxRef;
  #losses = 0;

  constructor(deps: RunnerDeps, key: SessionKey, lease: Lease, signal: AbortSignal) {
    this.#deps = deps;
    this.#key = key;
    this.#lease = lease;
    this.#signal = signal;
    this.#sandbox = sandboxRefOf(key.session, { status: "none" });
    this.#context = createOwnerContext(deps, { ...key, epoch: lease.epoch });
    this.#guide = createActionsGuide(this.#context);
  }

  async run(): Promise<void> {
    const { store, log, instance } = this.#deps;
    const { session } = this.#key;
    const ring = (): void => this.#bell.ring();
    const listening = serveOwner(store, session, { wake: ring, cancel: ring });
    const answering = answerAsOwner(store, session, { endpoints: () => this.#endpoints });
    try {
      const state = await this.#state();
      if (state.status !== "none" && state.status !== "stopped") {
        await this.#context.command({
          type: "AcquireOwnership",
          instance,
          epoch: this.#lease.epoch,
        });
      }
      for (let more = true; more && !this.#signal.aborted;) {
        more = await this.#stepUnlessStopped();
      }
    } catch (error) {
      if (!isStale(error)) {
        log.error({ err: error, sessionId: session }, "a session's owner gave up");
      }
    } finally {
      listening.stop();
      answering.stop();
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
    const step = nextStep(state, this.#conversation !== null);
    switch (step.kind) {
      case "leave":
        return false;
      case "wait":
        await Promise.race([this.#bell.wait(this.#signal), this.#conversation?.ended]);
        await this.#dropLostConversation();
        return true;
      case "bring_up":
        return this.#bringUp(existing(state));
      case "drop_prompt": {
        const { promptId } = step.prompt;
        const outcome = { outcome: "cancelled", failure: null } as const;
        await this.#context.command({
          type: "FinishPrompt",
          epoch: this.#lease.epoch,
          promptId,
          ...outcome,
        });
        this.#context.tell({ type: "prompt_finished", promptId, ...outcome });
        return true;
      }
      case "answer":
        if (!step.prompt.started && (await this.#asksByAnOldPolicy())) {
          await this.#closeConversation();
          return true;
        }
        this.#guide.refresh(this.#sandbox);
        await this.#answer(step.prompt);
        return true;
      case "snapshot":
        await this.#takeSnapshot(existing(state), step.request);
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
      case "tear_down":
        await this.#closeConversation();
        await this.#deps.provider.terminate(this.#sandbox);
        this.#context.tell({ type: "status", status: "stopped", detail: null });
        return false;
    }
  }

  /** Which tools ask is settled when the agent's server starts: it is started anew between two prompts. */
  async #asksByAnOldPolicy(): Promise<boolean> {
    const { organization, session: sessionId } = this.#key;
    const now = await this.#deps.agentTools.permissions({ organization, sessionId });
    return !isDeepStrictEqual(now, this.#toolPermissions);
  }

  #takeSnapshot({ kind }: ExistingSession, request: SnapshotRequest): Promise<void> {
    return takeSnapshot(this.#context, { sandbox: this.#sandbox, kind }, request);
  }

  async #bringUp(state: ExistingSession): Promise<boolean> {
    try {
      const { conversation, sandbox, toolPermissions } = await bringUp(
        this.#context,
        state,
        this.#signal,
      );
      this.#conversation = conversation;
      this.#toolPermissions = toolPermissions;
      this.#endpoints = endpointsOf(sandbox);
    } catch (error) {
      if (isStale(error) || this.#signal.aborted) {
        throw error;
      }
      this.#deps.log.warn(
        { err: error, sessionId: this.#key.session },
        "a sandbox did not come up",
      );
      await this.#fail(state, error);
    }
    return true;
  }

  /** Nobody answers the prompts that wait in a session whose sandbox does not come up. */
  async #fail({ prompts }: ExistingSession, error: unknown): Promise<void> {
    const failure = failureOf(error);
    const { epoch } = this.#lease;
    for (const { promptId } of prompts) {
      await this.#context.command({
        type: "FinishPrompt",
        epoch,
        promptId,
        outcome: "failed",
        failure,
      });
      this.#context.tell({ type: "prompt_finished", promptId, outcome: "failed", failure });
    }
    await this.#context.command({ type: "ReportSandboxFailed", epoch, failure });
    this.#context.tell({ type: "status", status: "failed", detail: failure.message });
  }

  async #answer(prompt: OpenPrompt): Promise<void> {
    if (!this.#conversation) {
      return;
    }
    try {
      await answerPrompt(this.#context, {
        conversation: this.#conversation,
        prompt,
        bell: this.#bell,
        sandbox: this.#sandbox,
        signal: this.#signal,
      });
      this.#losses = 0;
    } catch (error) {
      if (isStale(error) || this.#signal.aborted) {
        throw error;
      }
      this.#losses += 1;
      this.#deps.log.warn(
        { err: error, sessionId: this.#key.session, losses: this.#losses },
        "the agent was lost while it answered",
      );
      await this.#closeConversation();
      if (this.#losses >= maxLosses) {
        await this.#fail(existing(await this.#state()), error);
        return;
      }
      await delay(100 * this.#losses, undefined, { signal: this.#signal });
    }
  }

  async #dropLostConversation(): Promise<void> {
    const ended = await Promise.race([
      this.#conversation?.ended.then(() => true),
      Promise.resolve(false),
    ]);
    if (ended && !this.#signal.aborted) {
      await this.#closeConversation();
    }
  }

  async #closeConversation(): Promise<void> {
    this.#endpoints = null;
    await this.#conversation?.close();
    this.#conversation = null;
  }

  /** The sandbox is put away only while the lease says that nobody else has it. */
  async #letGo(): Promise<void> {
    const { log, provider } = this.#deps;
    const { session } = this.#key;
    try {
      await this.#closeConversation();
      if (!this.#lease.lost.aborted) {
        // Where the provider cannot pause, the next owner finds the sandbox running.
        const running = async () => (await provider.health(this.#sandbox)).state === "running";
        if (provider.capabilities.pause && (await running())) {
          await provider.pause(this.#sandbox);
        }
      }
    } catch (error) {
      log.error({ err: error, sessionId: session }, "a sandbox could not be put away");
    }
    try {
      await this.#lease.release();
    } catch (error) {
      log.warn({ err: error, sessionId: session }, "a lease was not given back and will run out");
    }
  }

  async #state(): Promise<SessionState> {
    const { organization, session } = this.#key;
    const { state } = await loadAggregate(this.#deps.store, sessionAggregate, {
      organization,
      id: session,
    });
    this.#sandbox = sandboxRefOf(session, state);
    return state;
  }
}

const existing = (state: SessionState): ExistingSession => {
  if (state.status === "none") {
    throw new Error("A session that is owned exists.");
  }
  return state;
};
