/** A real sidecar in this process, over a workspace of its own, for tests. */
import { request } from "node:http";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { buffer } from "node:stream/consumers";
import { problemSchema, type Problem } from "#contracts/problem";
import { editorService } from "../editor/editor.ts";
import { endProcesses, serviceMarker } from "../services/service-process.ts";
import { parseSidecarConfig, type SidecarConfigInput } from "../sidecar/config.ts";
import { startSidecar, type Sidecar, type SidecarOptions } from "../sidecar/start-sidecar.ts";

export const testToken = "test-token";

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly bytes: Buffer;
  json(): unknown;
  /** Fails if it is no problem document. */
  problem(): Problem;
}

export interface Call {
  readonly method?: string;
  /** Sent as it is, however odd. */
  readonly path: string;
  readonly body?: string | Buffer;
  readonly headers?: Readonly<Record<string, string>>;
  /** Without the token. */
  readonly anonymous?: boolean;
}

export interface SidecarHarness {
  readonly folder: string;
  readonly workspace: string;
  readonly port: () => number;
  readonly call: (call: Call) => Promise<Answer>;
  /** What the sidecar could tell no client. */
  readonly reports: readonly unknown[];
  readonly restart: () => Promise<void>;
  readonly close: () => Promise<void>;
}

export const startSidecarHarness = async (
  config: Omit<SidecarConfigInput, "workspace"> = {},
  {
    searchPath = process.env["PATH"] ?? "",
    ...options
  }: Partial<
    Pick<SidecarOptions, "token" | "restartLimits" | "terminalLimits" | "editorLimits">
  > & {
    /** In place of this process's `PATH`. */
    readonly searchPath?: string;
  } = {},
): Promise<SidecarHarness> => {
  const folder = await mkdtemp(path.join(tmpdir(), "proliferate-sidecar-"));
  const workspace = path.join(folder, "workspace");
  const stateFolder = path.join(folder, "state");
  await mkdir(workspace);
  const reports: unknown[] = [];
  const start = (): Promise<Sidecar> =>
    startSidecar({
      token: testToken,
      environment: { PATH: searchPath, HOME: folder, PS1: "$ " },
      report: (error) => reports.push(error),
      restartLimits: { firstDelayMs: 10, longestDelayMs: 40, giveUpAfter: 3 },
      ...options,
      config: parseSidecarConfig({ port: 0, stateFolder, ...config, workspace }),
    });
  let sidecar = await start();
  const services = new Set(config.supervise?.map(({ name }) => name))
    .add("caddy")
    .add(editorService);

  return {
    folder,
    workspace,
    reports,
    port: () => sidecar.port,
    call: (call) => {
      const name = /^\/api\/services\/([\w.-]+)$/.exec(call.path)?.[1];
      if (name !== undefined) services.add(name);
      return send(sidecar.port, call);
    },
    restart: async () => {
      await sidecar.close();
      sidecar = await start();
    },
    close: async () => {
      await sidecar.close();
      for (const name of services) await endProcesses(serviceMarker(stateFolder, name));
      await rm(folder, { recursive: true, force: true });
    },
  };
};

const send = (port: number, call: Call): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const sent = request(
      {
        host: "127.0.0.1",
        port,
        method: call.method ?? "GET",
        path: call.path,
        agent: false,
        headers: {
          ...(call.anonymous !== true && { authorization: `Bearer ${testToken}` }),
          ...call.headers,
        },
      },
      (response) => {
        buffer(response).then(
          (bytes) =>
            resolve({
              status: response.statusCode ?? 0,
              headers: response.headers,
              bytes,
              json: () => JSON.parse(bytes.toString("utf8")) as unknown,
              problem: () => problemSchema.parse(JSON.parse(bytes.toString("utf8"))),
            }),
          reject,
        );
      },
    );
    sent.once("error", reject);
    sent.end(call.body);
  });
