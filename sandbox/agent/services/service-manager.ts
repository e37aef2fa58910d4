/**
 * The programs that run in a sandbox for as long as they are wanted. They live on when this process ends, and
 * the next one finds them again by what this one has written down.
 */
import path from "node:path";
import pLimit, { type LimitFunction } from "p-limit";
import { DomainError } from "#contracts/errors";
import { defaultRestartLimits, type RestartLimits } from "./restart-policy.ts";
import { type LogCursor, openServiceLog, type ServiceLog } from "./service-log.ts";
import { serviceMarker } from "./service-process.ts";
import {
  neverStarted,
  viewOf,
  type ServiceSpec,
  type ServiceState,
  type ServiceView,
} from "./service.ts";
import { readStoredServices, writeStoredServices } from "./stored-services.ts";
import { supervise, type Supervisor } from "./supervisor.ts";

export interface ServiceManagerOptions {
  /** The sidecar's own folder: `services.json` and `logs/`. */
  readonly stateFolder: string;
  /** For a user's services. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** For the sandbox's own programs, which may know more. */
  readonly ownEnvironment: Readonly<Record<string, string | undefined>>;
  readonly limits?: Partial<RestartLimits>;
  /** Of one log file; two are kept. */
  readonly maxLogBytes?: number;
  readonly now: () => number;
}

export interface ServiceManager {
  list(): ServiceView[];
  /** Starts it, in place of what ran under its name. */
  start(spec: ServiceSpec): Promise<ServiceView>;
  stop(name: string): Promise<ServiceView>;
  restart(name: string): Promise<ServiceView>;
  log(name: string): ServiceLog;
  /** Where a service's next output will begin in its log; null for one that was never started. */
  logEnd(name: string): Promise<LogCursor | null>;
  /** Keeps exactly these programs of the sandbox's own running. */
  keepRunning(specs: readonly ServiceSpec[]): Promise<void>;
  /** Has a program of the sandbox's own run for a while, unless it does already. */
  startOwn(spec: ServiceSpec): Promise<void>;
  /** Ends it; fine when it does not run. */
  stopOwn(name: string): Promise<void>;
  /** Lets go of all services without ending them. */
  close(): Promise<void>;
}

const maxServices = 64;
const defaultMaxLogBytes = 5 * 1024 * 1024;
const rotationCheckMs = 500;

/** Goes on with the services that an earlier sidecar has left. */
export const openServiceManager = async (
  options: ServiceManagerOptions,
): Promise<ServiceManager> => {
  const { stateFolder } = options;
  const services = new Map<string, Supervisor>();
  /** What is done with one service is done one after the other. */
  const turns = new Map<string, LimitFunction>();
  const writing = pLimit(1);

  const save = () =>
    writing(() =>
      writeStoredServices(
        stateFolder,
        [...services.values()].map((each) => ({ spec: each.spec, state: each.state() })),
      ),
    );

  const add = async (spec: ServiceSpec, state: ServiceState): Promise<Supervisor> => {
    const log = await openServiceLog({
      folder: path.join(stateFolder, "logs"),
      name: spec.name,
      maxBytes: options.maxLogBytes ?? defaultMaxLogBytes,
    });
    services.get(spec.name)?.release();
    const supervisor = supervise({
      spec,
      state,
      log,
      save,
      marker: serviceMarker(stateFolder, spec.name),
      environment: spec.owner === "user" ? options.environment : options.ownEnvironment,
      limits: { ...defaultRestartLimits, ...options.limits },
      now: options.now,
    });
    services.set(spec.name, supervisor);
    return supervisor;
  };

  const inTurn = <T>(name: string, work: () => Promise<T>): Promise<T> => {
    let turn = turns.get(name);
    if (turn === undefined) turns.set(name, (turn = pLimit(1)));
    return turn(work);
  };

  const find = (name: string): Supervisor => {
    const service = services.get(name);
    if (service !== undefined) return service;
    throw new DomainError("service_not_found", `There is no service ${JSON.stringify(name)}.`);
  };

  const findUsers = (name: string): Supervisor => {
    const service = find(name);
    if (service.spec.owner === "user") return service;
    throw new DomainError("forbidden", `${name} belongs to the sandbox itself.`);
  };

  const view = (service: Supervisor): ServiceView => viewOf(service.spec, service.state());

  const replace = async (spec: ServiceSpec): Promise<Supervisor> => {
    const before = services.get(spec.name)?.state() ?? neverStarted;
    const service = await add(spec, before);
    await service.start();
    return service;
  };

  const recover = async (): Promise<void> => {
    for (const { spec, state } of await readStoredServices(stateFolder)) await add(spec, state);
    await Promise.all(
      [...services].map(([name, service]) => inTurn(name, () => service.recover())),
    );
  };
  await recover();

  const rotation = setInterval(() => {
    // A full disk; the next check tries again.
    for (const { log } of services.values()) void log.rotateIfLarge().catch(() => undefined);
  }, rotationCheckMs);
  rotation.unref();

  return {
    list: () => [...services.values()].map(view).sort((a, b) => (a.name < b.name ? -1 : 1)),
    start: (spec) =>
      inTurn(spec.name, async () => {
        if (services.has(spec.name)) findUsers(spec.name);
        else if (services.size >= maxServices) {
          throw new DomainError("request_invalid", `There are ${maxServices} services already.`);
        }
        return view(await replace(spec));
      }),
    stop: (name) =>
      inTurn(name, async () => {
        const service = findUsers(name);
        await service.stop();
        return view(service);
      }),
    restart: (name) =>
      inTurn(name, async () => {
        const service = find(name);
        await service.start();
        return view(service);
      }),
    log: (name) => find(name).log,
    logEnd: async (name) => (await services.get(name)?.log.end()) ?? null,
    keepRunning: async (specs) => {
      const wanted = new Map(specs.map((spec) => [spec.name, spec]));
      for (const [name, service] of services) {
        if (service.spec.owner !== "sandbox" || wanted.has(name)) continue;
        await inTurn(name, () => service.stop());
        services.delete(name);
      }
      for (const [name, spec] of wanted) {
        const known = services.get(name);
        const isSame = known !== undefined && isSameSpec(known.spec, spec);
        const runs = known?.state().status === "running";
        if (!isSame || !runs) await inTurn(name, () => replace(spec));
      }
      await save();
    },
    startOwn: (spec) =>
      inTurn(spec.name, async () => {
        const status = services.get(spec.name)?.state().status;
        if (status !== "running" && status !== "restarting") await replace(spec);
      }),
    stopOwn: (name) => inTurn(name, async () => services.get(name)?.stop()),
    close: async () => {
      clearInterval(rotation);
      for (const service of services.values()) service.release();
      await Promise.all([...turns.values()].map((turn) => turn(() => undefined)));
      await save();
    },
  };
};

const isSameSpec = (a: ServiceSpec, b: ServiceSpec): boolean =>
  JSON.stringify(a) === JSON.stringify(b);
