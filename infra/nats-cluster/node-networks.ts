/**
 * A network for each of three nodes, in which a cable can be pulled: Linux network namespaces, joined by
 * a bridge for what the nodes say to each other, and by a link each for clients. Everything is inside the
 * network namespace of the process that makes it, which has to be one of its own (see `aloneInNetwork`).
 */
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { readlink } from "node:fs/promises";
import { promisify } from "node:util";
import { endingWithParent, type Program } from "../process/setpriv.ts";
import { waitFor } from "../process/wait-for.ts";
import type { NodePlace } from "./node-place.ts";

const run = promisify(execFile);

export interface NodeNetworks extends AsyncDisposable {
  readonly places: readonly NodePlace[];
  /** Pulls the cable between the node of this index and the others; clients still reach it. */
  isolate(index: number): Promise<void>;
  /** Plugs it in again. */
  rejoin(index: number): Promise<void>;
}

/** Makes a program run in a network namespace of its own, in which nothing is but itself. */
export const aloneInNetwork = ({ command, args }: Program): Program => ({
  command: "unshare",
  // Who is not root is root in a user namespace of its own, which has all rights over its networks.
  args: [...(process.getuid?.() === 0 ? [] : ["--map-root-user"]), "--net", "--", command, ...args],
});

/** Why no networks can be made here; undefined if they can. */
export const whyNoNetworks = async (): Promise<string | undefined> => {
  const attempt = aloneInNetwork({
    command: "sh",
    args: [
      "-c",
      "ip link add probe type bridge && ip link add probe0 type veth peer name probe1 && nsenter -V",
    ],
  });
  try {
    await run(attempt.command, [...attempt.args]);
    return undefined;
  } catch (error) {
    return `network namespaces cannot be made here: ${(error as Error).message.trim()}`;
  }
};

/** Makes three networks. They are gone when they are disposed of, or when this process ends. */
export const createNodeNetworks = async (): Promise<NodeNetworks> => {
  await ip("link", "set", "lo", "up");
  await ip("link", "add", "routes", "type", "bridge");
  await ip("link", "set", "routes", "up");
  const namespaces = await Promise.all([1, 2, 3].map(holdNamespace));
  for (const [index, { pid }] of namespaces.entries()) await connectNode(index, pid);
  return {
    places: namespaces.map(({ pid }, index) => ({
      clientHost: `10.0.${String(index)}.2`,
      routeHost: routeHostOf(index),
      enter: ({ command, args }) => ({
        command: "nsenter",
        args: [...within(pid), command, ...args],
      }),
    })),
    isolate: (index) => ip("link", "set", `route${String(index)}`, "down"),
    rejoin: (index) => ip("link", "set", `route${String(index)}`, "up"),
    [Symbol.asyncDispose]: async () => {
      await Promise.all(namespaces.map(({ release }) => release()));
    },
  };
};

const ip = async (...args: readonly string[]): Promise<void> => {
  await run("ip", args);
};

const within = (pid: number): readonly string[] => ["--target", String(pid), "--net", "--"];

const routeHostOf = (index: number): string => `10.1.0.${String(index + 1)}`;

/** A namespace is there as long as a process is in it. */
const holdNamespace = async (): Promise<{
  readonly pid: number;
  readonly release: () => Promise<void>;
}> => {
  const { command, args } = await endingWithParent(
    { command: "unshare", args: ["--net", "--", "sleep", "infinity"] },
    "SIGKILL",
  );
  const holder = spawn(command, args, { stdio: "ignore" });
  await once(holder, "spawn");
  const exited = once(holder, "exit");
  const pid = holder.pid ?? 0;
  const ours = await readlink("/proc/self/ns/net");
  const entered = await waitFor(
    async () => ((await readlink(`/proc/${String(pid)}/ns/net`)) === ours ? undefined : true),
    { timeoutMs: 30_000 },
  );
  if (entered === undefined) throw new Error("The process did not enter a network of its own.");
  return {
    pid,
    release: async () => {
      holder.kill("SIGKILL");
      await exited;
    },
  };
};

/** Links the namespace to the bridge of the nodes, and to this process for clients. */
const connectNode = async (index: number, pid: number): Promise<void> => {
  const route = `route${String(index)}`;
  const client = `client${String(index)}`;
  const network = `10.0.${String(index)}`;
  const inside = async (...args: readonly string[]): Promise<void> => {
    await run("nsenter", [...within(pid), "ip", ...args]);
  };
  for (const link of [route, client]) {
    await ip("link", "add", link, "type", "veth", "peer", "name", link, "netns", String(pid));
  }
  await ip("link", "set", route, "master", "routes", "up");
  await ip("address", "add", `${network}.1/24`, "dev", client);
  await ip("link", "set", client, "up");
  await inside("address", "add", `${network}.2/24`, "dev", client);
  await inside("address", "add", `${routeHostOf(index)}/24`, "dev", route);
  for (const link of ["lo", client, route]) await inside("link", "set", link, "up");
};
