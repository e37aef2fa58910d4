/** An E2B sandbox as the boot sees it. */
import type { Sandbox } from "e2b";
import type { Machine, SandboxPorts } from "../../boot/machine.ts";
import { shellMachine } from "../../boot/shell-machine.ts";
import { callE2b } from "./errors.ts";
import { execIn } from "./exec.ts";
import { filesIn } from "./files.ts";
import { environmentFile, environmentScript } from "./job-script.ts";
import { portsOf, urlOfHost, type E2bSettings } from "./settings.ts";

export interface E2bMachine extends Machine {
  readonly ports: SandboxPorts;
  /** For everything that is run inside from now on, in place of what was told before. */
  setEnvironment(environment: Readonly<Record<string, string>>): Promise<void>;
}

/** Asks the sandbox where its home is: templates may have users of their own. */
export const openMachine = async (settings: E2bSettings, sandbox: Sandbox): Promise<E2bMachine> => {
  const asked = await callE2b("repeat", () => sandbox.commands.run('printf %s "$HOME"'));
  const home = asked.stdout;
  const workspace = `${home}/workspace`;
  const exec = execIn(sandbox, workspace);
  const files = filesIn(sandbox, exec);
  const ports = portsOf(settings, sandbox.sandboxId);
  return {
    ...shellMachine({ exec, files, home, workspace }),
    home,
    workspace,
    ports,
    choosePorts: () => Promise.resolve(ports),
    opencodeCommand: "opencode",
    listenHost: "0.0.0.0",
    exec,
    files,
    urlOf: (port) => urlOfHost(settings, sandbox.getHost(port)),
    setEnvironment: (environment) =>
      files.write(`${home}/${environmentFile}`, environmentScript(environment), { mode: 0o600 }),
  };
};
