/** The calls to E2B's control interface that the provider makes, and what names its sandboxes. */
import { Sandbox, type SandboxInfo } from "e2b";
import { isDomainError } from "#contracts/errors";
import { idSchema, type SessionId } from "#contracts/ids";
import { callE2b } from "./errors.ts";
import { connectionOf, defaultTimeoutMs, type E2bSettings } from "./settings.ts";

/** A sandbox of this control plane. */
export interface KnownSandbox {
  readonly id: string;
  readonly sessionId: SessionId;
  readonly state: SandboxInfo["state"];
}

export interface E2bApi {
  /** Not tried again: a request without an answer may have made a sandbox. `list` finds such a one. */
  create(sessionId: SessionId, template: string): Promise<Sandbox>;
  /**
   * Wakes a paused sandbox. One that runs goes on, for at least `timeoutMs` more.
   * @param boot `restore` goes on with memory and processes, `reboot` with the files only
   */
  connect(id: string, timeoutMs?: number, boot?: "restore" | "reboot"): Promise<Sandbox>;
  /** Null when there is none, or it is not this control plane's. */
  info(id: string): Promise<KnownSandbox | null>;
  /** Oldest first; all of this control plane's without a session. */
  list(sessionId?: SessionId): Promise<readonly KnownSandbox[]>;
  /** Pausing what is paused does nothing. @throws DomainError `sandbox_not_found` */
  pause(id: string): Promise<void>;
  /** Killing what is absent does nothing. */
  kill(id: string): Promise<void>;
  /** Lets it run for the whole time again. @throws DomainError `sandbox_not_found` unless it runs */
  renew(id: string): Promise<void>;
  /**
   * A template with the sandbox's files and memory, which outlives it: what `create` takes. The sandbox must
   * run, and goes on; its connections break. Not tried again: each call makes a template of its own.
   */
  takeSnapshot(id: string): Promise<string>;
  /**
   * Removing what is absent does nothing.
   * @throws DomainError `sandbox_provider_failed` while a sandbox that began with it is there, paused or not
   */
  deleteSnapshot(snapshotId: string): Promise<void>;
}

const namespaceTag = "proliferate_namespace";
const sessionTag = "proliferate_session";

/** Memory and files are written away first: it takes longer, the more there is. */
const snapshotTimeoutMs = 10 * 60_000;

export const openApi = (settings: E2bSettings): E2bApi => {
  const connection = connectionOf(settings);
  const { namespace, timeoutMs = defaultTimeoutMs } = settings;

  const known = ({ sandboxId, metadata, state }: SandboxInfo): KnownSandbox | null => {
    const session = idSchema("session").safeParse(metadata[sessionTag]);
    if (!session.success || metadata[namespaceTag] !== namespace) return null;
    return { id: sandboxId, sessionId: session.data, state };
  };

  return {
    create: (sessionId, template) =>
      callE2b("once", () =>
        Sandbox.create(template, {
          ...connection,
          timeoutMs,
          metadata: { [namespaceTag]: namespace, [sessionTag]: sessionId },
          lifecycle: { onTimeout: "pause" },
        }),
      ),
    connect: (id, runFor = timeoutMs, boot = "restore") =>
      callE2b("repeat", () =>
        Sandbox.connect(id, { ...connection, timeoutMs: runFor, onResume: boot }),
      ),
    info: (id) =>
      callE2b("repeat", async () => known(await Sandbox.getInfo(id, connection))).catch(
        nullIfAbsent,
      ),
    list: (sessionId) =>
      callE2b("repeat", async () => {
        const metadata = {
          [namespaceTag]: namespace,
          ...(sessionId && { [sessionTag]: sessionId }),
        };
        const pages = Sandbox.list({
          ...connection,
          query: { metadata },
          limit: 100,
          order: "asc",
        });
        const found: KnownSandbox[] = [];
        while (pages.hasNext) {
          found.push(...(await pages.nextItems()).flatMap((info) => known(info) ?? []));
        }
        return found;
      }),
    pause: async (id) => {
      await callE2b("repeat", () => Sandbox.pause(id, connection));
    },
    kill: async (id) => {
      await callE2b("repeat", () => Sandbox.kill(id, connection));
    },
    renew: (id) => callE2b("repeat", () => Sandbox.setTimeout(id, timeoutMs, connection)),
    takeSnapshot: async (id) => {
      const patient = { ...connection, requestTimeoutMs: snapshotTimeoutMs };
      const { snapshotId } = await callE2b("once", () => Sandbox.createSnapshot(id, patient));
      return snapshotId;
    },
    deleteSnapshot: async (snapshotId) => {
      await callE2b("repeat", () => Sandbox.deleteSnapshot(snapshotId, connection));
    },
  };
};

const nullIfAbsent = (error: unknown): null => {
  if (isDomainError(error, "sandbox_not_found")) return null;
  throw error;
};
