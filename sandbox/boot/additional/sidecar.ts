/** Starts the sidecar, which keeps the preview and the services running. */
import { DomainError } from "#contracts/errors";
import { commandFolder } from "../agent-files.ts";
import type { AdditionalBoot } from "./phase.ts";

/** @throws DomainError `sandbox_unavailable` with what it said, when it does not answer */
export const startSidecar = async (
  { machine, ports, environment }: AdditionalBoot,
  signal: AbortSignal,
): Promise<void | "skipped"> => {
  if ((await machine.find("sidecar")) !== null) return "skipped";
  const command = `${commandFolder(machine)}/proliferate`;
  const configFile = `${machine.home}/.proliferate/sidecar.json`;
  const preview = await machine.exec(["sh", "-c", "command -v caddy"], { signal });
  const config = {
    workspace: machine.workspace,
    stateFolder: `${machine.home}/.proliferate`,
    host: "127.0.0.1",
    port: ports.sidecar,
    ...(preview.exitCode === 0 && {
      preview: { caddy: "caddy", host: machine.listenHost, port: ports.preview },
    }),
  };
  await machine.files.write(configFile, JSON.stringify(config));
  signal.throwIfAborted();
  const sidecar = await machine.launch({
    name: "sidecar",
    argv: [command, "sidecar", "--config", configFile],
    env: environment,
  });
  // The command asks again for some seconds while nobody listens.
  const answers = await machine.exec([command, "services", "list"], { signal, env: environment });
  if (answers.exitCode === 0) return;
  const said = (await sidecar.logTail()) || answers.stderr.trim();
  await sidecar.stop();
  throw new DomainError("sandbox_unavailable", `The sidecar does not answer. It said: ${said}`);
};
