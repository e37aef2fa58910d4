/** The sidecar: what a sandbox offers to the control plane and to the agent, over HTTP. */
import path from "node:path";
import { type EditorLimits, openEditor } from "../editor/editor.ts";
import { editorPath, editorProxy } from "../editor/editor-proxy.ts";
import { rememberChanges } from "../git/remembered-changes.ts";
import { openPreview, type Preview } from "../preview/preview.ts";
import { openServiceManager } from "../services/service-manager.ts";
import type { RestartLimits } from "../services/restart-policy.ts";
import type { ServiceSpec } from "../services/service.ts";
import { terminalSockets } from "../terminal/terminal-socket.ts";
import { openTerminals, type TerminalsOptions } from "../terminal/terminals.ts";
import { openWorkspace } from "../workspace/confinement.ts";
import { openAccess } from "./access.ts";
import type { SidecarConfig } from "./config.ts";
import { accessRoutes } from "./routes/access.ts";
import { fileRoutes } from "./routes/files.ts";
import { gitChangeRoutes } from "./routes/git-changes.ts";
import { gitRoutes } from "./routes/git.ts";
import { previewRoutes } from "./routes/preview.ts";
import { serviceRoutes } from "./routes/services.ts";
import { terminalRoutes } from "./routes/terminals.ts";
import { listen } from "./server.ts";

export interface SidecarOptions {
  readonly config: SidecarConfig;
  /** Null: nobody gets in. */
  readonly token: string | null;
  readonly environment: Readonly<Record<string, string>>;
  /** Told what went wrong that no client can be told. */
  readonly report: (error: unknown) => void;
  readonly restartLimits?: Partial<RestartLimits>;
  readonly terminalLimits?: NonNullable<TerminalsOptions["limits"]>;
  readonly editorLimits?: Partial<EditorLimits>;
}

export interface Sidecar {
  readonly port: number;
  /** Services live on; terminals end. */
  close(): Promise<void>;
}

/** The sandbox's word towards the control plane, which a program that the agent writes has no use for. */
const tokenVariables = ["PROLIFERATE_SANDBOX_TOKEN", "SANDBOX_MCP_AUTH_TOKEN"];

export const startSidecar = async (options: SidecarOptions): Promise<Sidecar> => {
  const { config, environment } = options;
  const access = openAccess({ token: options.token, allowedOrigins: config.allowedOrigins });
  const server = await listen({ ...config, access, report: options.report });
  try {
    const workspace = await openWorkspace(config.workspace);
    const home = environment["HOME"] ?? workspace.root;
    const searchPath = environment["PATH"] ?? "/usr/local/bin:/usr/bin:/bin";
    const stateFolder = config.stateFolder ?? path.join(home, ".proliferate");
    const services = await openServiceManager({
      stateFolder,
      environment: withoutTokens(environment),
      ownEnvironment: environment,
      now: () => Date.now(),
      ...(options.restartLimits !== undefined && { limits: options.restartLimits }),
    });
    const preview =
      config.preview === undefined
        ? null
        : await openPreview({ ...config.preview, stateFolder, sidecarPort: server.port });
    await services.keepRunning(ownPrograms(config, preview));
    const terminals = openTerminals({
      shell: config.shell as [string, ...string[]],
      cwd: workspace.root,
      env: environment,
      ...(options.terminalLimits !== undefined && { limits: options.terminalLimits }),
    });
    const sockets = terminalSockets(terminals);
    const editor = openEditor({
      ...{ services, stateFolder, searchPath, workspace: workspace.root },
      ...(options.editorLimits !== undefined && { limits: options.editorLimits }),
    });
    const editors = editorProxy(editor);
    server.serve({
      routes: [
        ...accessRoutes,
        ...fileRoutes(workspace),
        ...gitRoutes({ workspace, searchPath, home }),
        ...gitChangeRoutes({ workspace, searchPath, home }, rememberChanges(stateFolder)),
        ...serviceRoutes({
          services,
          workspace,
          exposedPort: () => preview?.exposedPort() ?? null,
        }),
        ...previewRoutes(preview),
        ...terminalRoutes(terminals),
      ],
      webSockets: { "/api/terminal": sockets.open },
      mounts: { [editorPath]: editors },
    });
    return {
      port: server.port,
      close: async () => {
        sockets.close();
        editors.close();
        editor.close();
        await server.close();
        await services.close();
      },
    };
  } catch (error) {
    await server.close();
    throw error;
  }
};

const ownPrograms = (config: SidecarConfig, preview: Preview | null): ServiceSpec[] => [
  ...config.supervise.map(({ name, argv, cwd, env }): ServiceSpec => ({
    name,
    argv,
    cwd: cwd ?? config.workspace,
    env,
    restart: "always",
    owner: "sandbox",
  })),
  ...(preview === null ? [] : [preview.service]),
];

const withoutTokens = (environment: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(environment).filter(([name]) => !tokenVariables.includes(name)),
  );
