/** `proliferate services …`: programs that go on running beside the agent. */
import path from "node:path";
import { InvalidArgumentError, type Command } from "commander";
import type { ServiceView } from "../services/service.ts";
import type { Console } from "./run-action.ts";
import {
  exposeAnswer,
  serviceAnswer,
  servicesAnswer,
  type SidecarClient,
} from "./sidecar-client.ts";

interface Named {
  readonly name: string;
}

interface Json {
  readonly json?: true;
}

interface StartOptions extends Named, Json {
  readonly command: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

interface LogOptions extends Named {
  readonly tail: number;
  readonly follow?: true;
}

const jsonOption = ["--json", "print the answer as JSON"] as const;
const nameOption = ["--name <name>", "the service's name"] as const;

export const addServiceCommands = (
  root: Command,
  sidecar: () => SidecarClient,
  console: Console,
): void => {
  const services = root
    .command("services")
    .description("Runs programs, such as a development server, beside the agent.");

  const pathOf = (name: string) => `/api/services/${encodeURIComponent(name)}`;

  const show = (service: ServiceView, { json }: Json) => {
    if (json) console.out(service);
    else console.text(lineOf(service));
  };

  services
    .command("list")
    .description("Print the services and how they are.")
    .option(...jsonOption)
    .action(async ({ json }: Json) => {
      const answer = await sidecar().call({ method: "GET", path: "/api/services" }, servicesAnswer);
      if (json) return console.out(answer);
      for (const service of answer.services) console.text(lineOf(service));
      if (answer.exposedPort !== null) console.text(`exposed port: ${answer.exposedPort}`);
    });

  services
    .command("start")
    .description("Start a service, in place of the one that has its name.")
    .requiredOption(...nameOption)
    .requiredOption("--command <line>", "what a shell is to run")
    .option("--cwd <folder>", "where to run it; this folder by default", ".")
    .option("--env <NAME=value>", "a variable for it; may be repeated", parseVariable, {})
    .option(...jsonOption)
    .action(async ({ name, command, cwd, env, json }: StartOptions) => {
      const body = { command, cwd: path.resolve(cwd), env };
      const request = { method: "PUT", path: pathOf(name), body } as const;
      show((await sidecar().call(request, serviceAnswer)).service, { ...(json && { json }) });
    });

  services
    .command("stop")
    .description("Stop a service and everything it has started.")
    .requiredOption(...nameOption)
    .option(...jsonOption)
    .action(async (options: Named & Json) => {
      const request = { method: "DELETE", path: pathOf(options.name) } as const;
      show((await sidecar().call(request, serviceAnswer)).service, options);
    });

  services
    .command("restart")
    .description("Stop a service and start it again.")
    .requiredOption(...nameOption)
    .option(...jsonOption)
    .action(async (options: Named & Json) => {
      const request = { method: "POST", path: `${pathOf(options.name)}/restart` } as const;
      show((await sidecar().call(request, serviceAnswer)).service, options);
    });

  services
    .command("logs")
    .description("Print what a service has printed.")
    .requiredOption(...nameOption)
    .option("--tail <lines>", "so many lines of what was before", parseCount, 200)
    .option("--follow", "go on with what comes")
    .action(async ({ name, tail, follow }: LogOptions) => {
      const query = `tail=${tail}&follow=${follow === true}`;
      for await (const line of sidecar().lines(`${pathOf(name)}/logs?${query}`)) console.text(line);
    });

  services
    .command("expose")
    .description("Choose the port that the preview shows.")
    .option("--port <port>", "the port; without it, the usual ports are tried again", parseCount)
    .option(...jsonOption)
    .action(async ({ port, json }: Json & { readonly port?: number }) => {
      const request = {
        method: "POST",
        path: "/api/expose",
        body: { port: port ?? null },
      } as const;
      const answer = await sidecar().call(request, exposeAnswer);
      if (json) return console.out(answer);
      console.text(answer.port === null ? "no port is exposed" : `port ${answer.port} is exposed`);
      if (!answer.applied)
        console.say("The preview is not running; this counts from its next start.");
    });
};

const lineOf = (service: ServiceView): string =>
  [
    service.name,
    service.status,
    service.pid === null ? "-" : `pid ${service.pid}`,
    service.exitCode === null ? "-" : `exit ${service.exitCode}`,
    service.command,
  ].join("\t");

const parseVariable = (
  text: string,
  before: Readonly<Record<string, string>>,
): Record<string, string> => {
  const [, name, value] = /^([A-Za-z_]\w*)=([\s\S]*)$/.exec(text) ?? [];
  if (name === undefined || value === undefined) {
    throw new InvalidArgumentError("It has to be NAME=value.");
  }
  return { ...before, [name]: value };
};

const parseCount = (text: string): number => {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new InvalidArgumentError("It has to be a whole number.");
};
