/** Starts the sidecar, which keeps the preview and the services running. */
import { DomainError } from "#contracts/errors";
import { maxFallbackPorts, type SidecarConfigInput } from "../../agent/sidecar/config.ts";
import { commandFolder } from "../agent-files.ts";
import type { Machine, SandboxPorts } from "../machine.ts";
import type { AdditionalBoot } from "./phase.ts";

/** @throws DomainError `sandbox_unavailable` with what it said, when it does not answer */
export const startSidecar = async (
  { machine, spec, ports, environment }: SidecarStart,
  signal: AbortSignal,
): Promise<void | "skipped"> => {
  const command = `${commandFolder(machine)}/proliferate`;
  const configFile = `${machine.home}/.proliferate/sidecar.json`;
  const config = await configOf({ machine, spec, ports }, signal);
  // The command asks again for some seconds while nobody listens.
  const ask = () => machine.exec([command, "services", "list"], { signal, env: environment });

  const running = await machine.find("sidecar");
  if (running !== null) {
    // In a copy of another session's sandbox it has that session's token.
    if ((await isWritten(machine, configFile, config)) && (await ask()).exitCode === 0) {
      return "skipped";
    }
    await running.stop();
  }
  await machine.files.write(configFile, config);
  signal.throwIfAborted();
  const sidecar = await machine.launch({
    name: "sidecar",
    argv: [command, "sidecar", "--config", configFile],
    env: environment,
  });
  const answer = await ask();
  if (answer.exitCode === 0) return;
  const said = (await sidecar.logTail()) || answer.stderr.trim();
  await sidecar.stop();
  throw new DomainError("sandbox_unavailable", `The sidecar does not answer. It said: ${said}`);
};

type SidecarStart = Pick<AdditionalBoot, "machine" | "spec" | "ports" | "environment">;

const configOf = async (
  { machine, spec, ports }: Omit<SidecarStart, "environment">,
  signal: AbortSignal,
): Promise<string> => {
  const caddy = await machine.exec(["sh", "-c", "command -v caddy"], { signal });
  const config: SidecarConfigInput = {
    workspace: machine.workspace,
    stateFolder: `${machine.home}/.proliferate`,
    host: "127.0.0.1",
    port: ports.sidecar,
    ...(caddy.exitCode === 0 && {
      preview: {
        ...{ caddy: "caddy", host: machine.listenHost, port: ports.preview },
        ...fallbackPorts(spec, ports),
      },
    }),
  };
  return JSON.stringify(config);
};

const isWritten = async (
  { files }: Pick<Machine, "files">,
  file: string,
  content: string,
): Promise<boolean> => {
  const written = await files.read(file);
  return written !== null && Buffer.from(written).toString("utf8") === content;
};

/** A preview that showed the sandbox's own ports would show itself, or the agent's server to everybody. */
const fallbackPorts = (
  { ports: wanted = [] }: AdditionalBoot["spec"],
  own: SandboxPorts,
): { readonly fallbackPorts?: number[] } => {
  const ports = [...new Set(wanted)].filter((port) => !Object.values(own).includes(port));
  return ports.length > 0 ? { fallbackPorts: ports.slice(0, maxFallbackPorts) } : {};
};
