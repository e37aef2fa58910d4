import { z } from "zod";
import { followLog, type LogEvent } from "../../services/follow-log.ts";
import type { LogCursor } from "../../services/service-log.ts";
import type { ServiceManager } from "../../services/service-manager.ts";
import {
  serviceNameSchema,
  shellCommand,
  variablesSchema,
  type ServiceSpec,
} from "../../services/service.ts";
import { openFolderInside, type Workspace } from "../../workspace/confinement.ts";
import { json, parse, type ApiReply, type Route } from "../api.ts";
import { eventStream } from "../event-stream.ts";

const startSchema = z.strictObject({
  /** Run by `/bin/sh -c`. */
  command: z
    .string()
    .min(1)
    .max(8_192)
    .refine((text) => !text.includes("\0"), "must not contain NUL"),
  /** Relative to the workspace. */
  cwd: z.string().default("."),
  env: variablesSchema.default({}),
});

const logsSchema = z.object({
  /** How many of the lines before are shown first. */
  tail: z.coerce.number().int().min(0).max(10_000).default(200),
  follow: z.enum(["true", "false"]).default("true"),
});

export interface ServiceRoutesOptions {
  readonly services: ServiceManager;
  readonly workspace: Workspace;
  readonly exposedPort: () => number | null;
}

export const serviceRoutes = (options: ServiceRoutesOptions): readonly Route[] => {
  const { services, workspace } = options;

  const start: Route["handle"] = async ({ params, body }) => {
    const { command, cwd, env } = parse(startSchema, body);
    const spec: ServiceSpec = {
      name: parse(serviceNameSchema, params["name"]),
      argv: shellCommand(command),
      cwd: await folderInside(workspace, cwd),
      env,
      restart: "on_failure",
      owner: "user",
    };
    const from = await services.logEnd(spec.name);
    const service = await services.start(spec);
    return json({ service, outputFrom: from && eventId(from) });
  };

  const nameOf = (params: Readonly<Record<string, string>>) =>
    parse(serviceNameSchema, params["name"]);

  return [
    {
      method: "GET",
      pattern: "/api/services",
      handle: () => json({ services: services.list(), exposedPort: options.exposedPort() }),
    },
    { method: "PUT", pattern: "/api/services/:name", handle: start },
    { method: "POST", pattern: "/api/services/:name", handle: start },
    {
      method: "DELETE",
      pattern: "/api/services/:name",
      handle: async ({ params }) => json({ service: await services.stop(nameOf(params)) }),
    },
    {
      method: "POST",
      pattern: "/api/services/:name/restart",
      handle: async ({ params }) => json({ service: await services.restart(nameOf(params)) }),
    },
    {
      method: "GET",
      pattern: "/api/services/:name/logs",
      handle: async ({ params, query, headers, gone }): Promise<ApiReply> => {
        const { tail, follow } = parse(logsSchema, query);
        const log = services.log(nameOf(params));
        const from = parseEventId(headers["last-event-id"]) ?? (await log.tail(tail));
        const events = followLog(log, { from, follow: follow === "true", signal: gone });
        return eventStream(toServerSentEvents(events), gone);
      },
    },
  ];
};

/** A service keeps its folder by name, since it is started again later; here it only has to be a good one. */
const folderInside = async (workspace: Workspace, name: string): Promise<string> => {
  const { handle, realPath } = await openFolderInside(workspace, name);
  await handle.close();
  return realPath;
};

async function* toServerSentEvents(events: AsyncIterable<LogEvent>) {
  for await (const event of events) {
    if (event.kind === "gap") yield { event: "gap", data: "Older lines are gone." };
    else yield { id: eventId(event.after), data: event.text };
  }
}

const eventId = ({ generation, offset }: LogCursor): string => `${generation}-${offset}`;

/** Null for anything that is no id of ours; the client then gets the tail. */
const parseEventId = (id: string | string[] | undefined): LogCursor | null => {
  const match = /^(\d{1,9})-(\d{1,15})$/.exec(String(id ?? ""));
  return match === null ? null : { generation: Number(match[1]), offset: Number(match[2]) };
};
