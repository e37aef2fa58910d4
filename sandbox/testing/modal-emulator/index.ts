/**
 * An emulator of Modal's sandbox service, for tests: the real `modal` SDK talks gRPC to it over a real socket,
 * and every sandbox is a folder with real processes of this computer.
 *
 * Covered: the procedures of the newer sandbox backend that `control-plane.ts` and `command-router.ts` list,
 * with names that are unique in an app, lifetimes, resumable output and input, file system and memory
 * snapshots, and faults on request.
 *
 * Not covered, so not shown by any test that uses it:
 * - isolation, users, resources, volumes, GPUs, network policy: there is no container (`container.ts`);
 * - memory in a memory snapshot: the same commands are started again (`process-image.ts`);
 * - TLS and host names of tunnels: a tunnel is the loopback port itself;
 * - building images, stored secrets, the older backend, other languages' functions;
 * - limits and timings of the real service, and its wording of errors.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { ModalClient } from "modal";
import { createServer } from "nice-grpc";
import { commandRouter } from "./command-router.ts";
import { controlPlane } from "./control-plane.ts";
import { definitionOf } from "./definitions.ts";
import { openFaults, type Faults } from "./faults.ts";
import { openGate, type Gate } from "./gate.ts";
import { openImageEndpoint } from "./image-endpoint.ts";
import { openImages } from "./images.ts";
import { resultStatus } from "./messages.ts";
import { openSandboxes } from "./sandboxes.ts";
import type { ServiceState } from "./service-state.ts";
import type { Credentials } from "./tokens.ts";

export interface ModalEmulatorOptions {
  /** What the image has: names and the programs of this computer that stand for them. */
  readonly programs: Readonly<Record<string, string>>;
  /** Whether the app with the image endpoint is deployed; true by default. */
  readonly deployed?: boolean;
}

export interface ModalEmulator extends AsyncDisposable {
  readonly appName: string;
  readonly baseImageId: string;
  readonly credentials: Credentials;
  readonly faults: Faults;
  /** A real client of the real SDK. */
  newClient(credentials?: Credentials): ModalClient;
  /** Whatever opens a client of the SDK, at once, opens it to this server. */
  asServer<T>(open: () => T): T;
  /** How often the deployed app was asked for its image. */
  imageRequests(): number;
  running(): readonly { readonly sandboxId: string; readonly name: string | null }[];
  /** Where the files of a named sandbox are while it runs. */
  folderOf(name: string): string;
  /** As if the computer below the sandbox failed. */
  kill(sandboxId: string): Promise<void>;
  /** The same, and what was connected to it hears nothing, not even an end. */
  vanish(sandboxId: string): Promise<void>;
  forgetImage(imageId: string): void;
  dropConnections(): void;
}

export const openModalEmulator = async (options: ModalEmulatorOptions): Promise<ModalEmulator> => {
  const folder = await mkdtemp(path.join(tmpdir(), "modal-emulator-"));
  const images = await openImages(path.join(folder, "images"), options.programs);
  const endpoint = await openImageEndpoint(images.baseImageId);
  const sandboxesFolder = path.join(folder, "sandboxes");
  const sandboxes = openSandboxes(sandboxesFolder, images);
  const state: ServiceState = {
    credentials: { tokenId: "ak-emulated", tokenSecret: "as-emulated-secret" },
    app: {
      name: "proliferate-sandbox",
      id: "ap-emulated",
      imageUrl: options.deployed === false ? null : endpoint.url,
    },
    images,
    sandboxes,
    memorySnapshots: new Map(),
    routerTokens: new Map(),
    address: () => `127.0.0.1:${gate.port}`,
  };

  const { faults, middleware } = openFaults(() => gate.dropConnections());
  const server = createServer({ "grpc.max_receive_message_length": largestMessage }).use(
    middleware,
  );
  const services = { controlPlane: controlPlane(state), commandRouter: commandRouter(state) };
  server.add(definitionOf("controlPlane", services.controlPlane), services.controlPlane);
  server.add(definitionOf("commandRouter", services.commandRouter), services.commandRouter);
  const gate: Gate = await openGate(await server.listen("127.0.0.1:0"));

  return {
    appName: state.app.name,
    baseImageId: images.baseImageId,
    credentials: state.credentials,
    faults,
    newClient: (credentials = state.credentials) =>
      withServer(gate.port, () => new ModalClient({ ...credentials, logLevel: "error" })),
    asServer: (open) => withServer(gate.port, open),
    imageRequests: endpoint.requests,
    running: () => sandboxes.running().map(({ id, name }) => ({ sandboxId: id, name })),
    folderOf: (name) => path.join(sandboxesFolder, name),
    kill: (sandboxId) => sandboxes.end(sandboxes.get(sandboxId), resultStatus.failure),
    vanish: (sandboxId) => sandboxes.vanish(sandboxes.get(sandboxId)),
    forgetImage: images.forget,
    dropConnections: gate.dropConnections,
    [Symbol.asyncDispose]: async () => {
      await gate[Symbol.asyncDispose]();
      server.forceShutdown();
      await endpoint[Symbol.asyncDispose]();
      await sandboxes[Symbol.asyncDispose]();
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
};

/** A file's content may travel in one message. The SDK's own limit. */
const largestMessage = 100 * 1024 * 1024;

/** The SDK takes the address of its server from the environment only, and reads it while it is made. */
const withServer = <T>(port: number, open: () => T): T => {
  const settings = { MODAL_SERVER_URL: `http://127.0.0.1:${port}`, MODAL_CONFIG_PATH: "/dev/null" };
  const before = Object.keys(settings).map((name) => [name, process.env[name]] as const);
  Object.assign(process.env, settings);
  try {
    return open();
  } finally {
    for (const [name, value] of before) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  }
};
