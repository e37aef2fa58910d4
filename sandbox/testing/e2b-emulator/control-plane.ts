/** The REST interface: makes, lists, pauses and kills sandboxes, and removes snapshots. */
import { z } from "zod";
import type { EmulatedSandbox } from "./emulated-sandbox.ts";
import { envdVersion } from "./envd/envd.ts";
import { failure, type Reply } from "./reply.ts";
import type { SandboxPool } from "./sandbox-pool.ts";

const createSchema = z.object({
  templateID: z.string(),
  metadata: z.record(z.string(), z.string()).default({}),
  envVars: z.record(z.string(), z.string()).default({}),
  /** Seconds. */
  timeout: z.number().int().positive().default(15),
  autoPause: z.boolean().default(false),
});
const timeoutSchema = z.object({ timeout: z.number().int().nonnegative() });
const connectSchema = z.object({
  timeout: z.number().int().positive().optional(),
  memory: z.boolean().default(true),
});

export interface ControlCall {
  readonly method: string;
  readonly url: URL;
  readonly body: unknown;
}

interface Context {
  readonly pool: SandboxPool;
  /** What hosts of sandboxes end in. */
  readonly domain: string;
}

export const answerControlPlane = async (context: Context, call: ControlCall): Promise<Reply> => {
  const [collection, id, action] = call.url.pathname
    .replace(/^\/v2\//, "/")
    .split("/")
    .slice(1);
  if (collection === "templates" && call.method === "DELETE" && id !== undefined) {
    return removeSnapshot(context, decodeURIComponent(id));
  }
  if (collection !== "sandboxes") return notEmulated(call);
  if (id === undefined) {
    if (call.method === "POST") return create(context, call);
    return call.method === "GET" ? list(context, call) : notEmulated(call);
  }
  const sandbox = context.pool.get(id);
  if (!sandbox) return failure(404, `sandbox ${id} not found`);
  switch (`${call.method} ${action ?? ""}`) {
    case "GET ":
      return { status: 200, body: details(sandbox) };
    case "DELETE ":
      await sandbox.kill();
      return { status: 204 };
    case "POST timeout":
      return setTimeoutOf(sandbox, call);
    case "POST pause":
      return (await sandbox.pause()) ? { status: 204 } : failure(409, `sandbox ${id} is paused`);
    case "POST connect":
      return connect(context, sandbox, call);
    case "POST snapshots": {
      if (sandbox.state() === "paused") return failure(409, `sandbox ${id} is paused`);
      const snapshotID = await context.pool.snapshot(sandbox);
      return { status: 201, body: { snapshotID, names: [] } };
    }
    default:
      return notEmulated(call);
  }
};

const create = async (context: Context, call: ControlCall): Promise<Reply> => {
  const request = createSchema.parse(call.body);
  const sandbox = await context.pool.create({
    template: request.templateID,
    metadata: request.metadata,
    envVars: request.envVars,
    onTimeout: request.autoPause ? "pause" : "kill",
    timeoutMs: request.timeout * 1_000,
  });
  if (sandbox === null) return failure(404, `template '${request.templateID}' not found`);
  return { status: 201, body: access(context, sandbox) };
};

/** Resumes a paused sandbox; never makes a running one end sooner. */
const connect = async (
  context: Context,
  sandbox: EmulatedSandbox,
  call: ControlCall,
): Promise<Reply> => {
  const { timeout = 15, memory } = connectSchema.parse(call.body);
  const resumed = sandbox.state() === "paused";
  await sandbox.resume(memory ? "restore" : "reboot");
  const left = sandbox.endAt().getTime() - Date.now();
  if (resumed || left < timeout * 1_000) sandbox.setTimeout(timeout * 1_000);
  return { status: resumed ? 201 : 200, body: access(context, sandbox) };
};

const setTimeoutOf = (sandbox: EmulatedSandbox, call: ControlCall): Reply => {
  if (sandbox.state() === "paused") return failure(404, `sandbox ${sandbox.id} is not running`);
  sandbox.setTimeout(timeoutSchema.parse(call.body).timeout * 1_000);
  return { status: 204 };
};

const removeSnapshot = async ({ pool }: Context, id: string): Promise<Reply> => {
  switch (await pool.removeSnapshot(id)) {
    case "removed":
      return { status: 204 };
    case "absent":
      return failure(404, `template '${id}' not found`);
    case "held":
      return failure(400, `template '${id}' cannot be deleted: there are sandboxes using it`);
  }
};

const list = ({ pool }: Context, { url }: ControlCall): Reply => {
  const states = url.searchParams.get("state")?.split(",") ?? ["running", "paused"];
  // The client encodes names and values once more before it encodes the query.
  const wanted = [...new URLSearchParams(url.searchParams.get("metadata") ?? "")].map(
    ([name, value]) => [decodeURIComponent(name), decodeURIComponent(value)] as const,
  );
  const found = pool
    .list()
    .filter((sandbox) => states.includes(sandbox.state()))
    .filter((sandbox) => wanted.every(([name, value]) => sandbox.metadata[name] === value));
  const limit = Number(url.searchParams.get("limit") ?? 100);
  const from = Number(url.searchParams.get("nextToken") ?? 0);
  const more = from + limit < found.length;
  return {
    status: 200,
    body: found.slice(from, from + limit).map(details),
    ...(more && { headers: { "x-next-token": String(from + limit) } }),
  };
};

const access = ({ domain }: Context, sandbox: EmulatedSandbox) => ({
  sandboxID: sandbox.id,
  templateID: sandbox.template,
  envdVersion,
  envdAccessToken: sandbox.accessToken,
  domain,
});

const details = (sandbox: EmulatedSandbox) => ({
  sandboxID: sandbox.id,
  templateID: sandbox.template,
  metadata: sandbox.metadata,
  startedAt: sandbox.startedAt.toISOString(),
  endAt: sandbox.endAt().toISOString(),
  state: sandbox.state(),
  cpuCount: 2,
  memoryMB: 2_048,
  envdVersion,
});

const notEmulated = ({ method, url }: ControlCall): Reply =>
  failure(501, `${method} ${url.pathname} is not emulated`);
