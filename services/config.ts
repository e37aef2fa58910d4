/** The settings of the program: one schema, read once from the environment, all problems told together. */
import { z } from "zod";
import { maxAutoDeleteDays } from "#contracts/session/limits";
import { DomainError } from "#contracts/errors";
import {
  defaultModel,
  defaultSmallModel,
  findModel,
  type ModelId,
  models,
} from "#contracts/models/registry";
import { configuredConnectorSchema } from "./integrations/connectors/configured.ts";
import { modalVariables } from "./sandboxes/modal-settings.ts";

const roles = ["projector", "worker", "runner", "fanout", "gateway"] as const;
export type Role = (typeof roles)[number];

const port = z.coerce.number().int().min(0).max(65_535);
const json = z.string().transform((text, context): unknown => {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    context.addIssue({ code: "custom", message: "is not JSON" });
    return z.NEVER;
  }
});

/** As browsers send it, without a path. */
const originSchema = z.url({ protocol: /^https?$/ }).refine((url) => new URL(url).origin === url, {
  message: "is not an origin such as https://app.example.com",
});

const model = z.string().transform((name, context): ModelId => {
  const known = findModel(name);
  if (known) return known.id;
  context.addIssue({
    code: "custom",
    message: `is none of ${models.map(({ id }) => id).join(", ")}`,
  });
  return z.NEVER;
});

const settingsSchema = z.object({
  /** Which parts of the program this process runs, separated by commas. */
  ROLES: z
    .string()
    .default(roles.join(","))
    .transform((text) => text.split(",").map((role) => role.trim()))
    .pipe(z.array(z.enum(roles)).min(1)),
  DATA_DIR: z.string().min(1).default(".data"),
  HOST: z.string().min(1).default("127.0.0.1"),
  PORT: port.default(3000),
  FANOUT_PORT: port.default(3001),
  /** Where people reach the gateway; `http://HOST:PORT` unless a proxy stands before it. */
  PUBLIC_URL: z.url({ protocol: /^https?$/ }).optional(),
  /**
   * Editors are pages of sandboxes: each session's has a host of its own below this one's, which has to lead
   * here with its `Host`. Below localhost unless `HOST` or `PUBLIC_URL` say that people come from elsewhere.
   */
  SANDBOX_PAGES_URL: originSchema.optional(),
  /** Where browsers reach the fan-out tier, `ws://HOST:FANOUT_PORT` unless a proxy stands before it. */
  LIVE_URL: z.url({ protocol: /^wss?$/ }).optional(),
  /** Origins whose pages may use the API and the live channel beside the dashboard, separated by commas. */
  ALLOWED_ORIGINS: z
    .string()
    .transform((text) => text.split(",").map((origin) => origin.trim()))
    .pipe(z.array(originSchema))
    .default([]),
  /** Where sandboxes reach the gateway. */
  SANDBOX_GATEWAY_URL: z.url({ protocol: /^https?$/ }).optional(),
  /** An external NATS or Postgres; without one, an embedded server is started. */
  NATS_URL: z.string().min(1).optional(),
  DATABASE_URL: z.string().min(1).optional(),
  /** Where the monitoring of every NATS node listens, separated by commas: replicas are compared by it. */
  NATS_MONITORS: z
    .string()
    .transform((text) => text.split(",").map((url) => url.trim()))
    .pipe(z.array(z.url({ protocol: /^https?$/ })).min(1))
    .optional(),
  /** 32 bytes in hex or base64; without it, one is made and kept in the data folder. */
  SECRETS_KEY: z.string().min(1).optional(),
  /** The bearer token that `GET /metrics` asks for; without one there is no such page. */
  METRICS_TOKEN: z.string().min(16).optional(),
  /** Where this process serves its metrics beside the gateway's page, on `HOST`; nowhere without it. */
  METRICS_PORT: port.optional(),
  EVENT_SHARDS: z.coerce.number().int().min(1).max(64).default(1),
  DURABILITY: z.enum(["replicated", "fsync", "relaxed"]).default("fsync"),
  /** Where traces go, over OTLP/HTTP; without a collector there are none. The names are OpenTelemetry's. */
  OTEL_EXPORTER_OTLP_ENDPOINT: z.url({ protocol: /^https?$/ }).optional(),
  OTEL_EXPORTER_OTLP_HEADERS: z.string().min(1).optional(),
  OTEL_SERVICE_NAME: z.string().min(1).default("proliferate"),
  /** The one sampler that there is: a trace is recorded as its beginning was, and of those, this share. */
  OTEL_TRACES_SAMPLER: z.literal("parentbased_traceidratio").default("parentbased_traceidratio"),
  OTEL_TRACES_SAMPLER_ARG: z.coerce.number().min(0).max(1).default(1),
  /** Whether requests go on with the trace that they name: only where a proxy of one's own says which. */
  TRUST_TRACEPARENT: z.stringbool().default(false),
  LOG_LEVEL: z.enum(["silent", "fatal", "error", "warn", "info", "debug"]).default("warn"),
  /** Without a key, a scripted model answers: a development aid that follows prepared scenarios. */
  ANTHROPIC_API_KEY: z.string().min(1).optional(),
  /** A proxy in place of the model provider's own API, ending in its version: `https://…/v1`. */
  ANTHROPIC_BASE_URL: z.url({ protocol: /^https?$/ }).optional(),
  /** By any of its names; see `contracts/models/registry.ts`. */
  MODEL: model.default(defaultModel),
  SMALL_MODEL: model.default(defaultSmallModel),
  /** Where agents run; see docs/sandboxes.md for what each needs. */
  SANDBOX_PROVIDER: z.string().min(1).default("local"),
  /** For `SANDBOX_PROVIDER=e2b`, which needs the key and the template. */
  E2B_API_KEY: z.string().min(1).optional(),
  E2B_TEMPLATE: z.string().min(1).optional(),
  /** Of a self-hosted E2B: its domain, and its addresses where they do not follow from that. */
  E2B_DOMAIN: z.string().min(1).optional(),
  E2B_API_URL: z.url({ protocol: /^https?$/ }).optional(),
  E2B_SANDBOX_URL: z.url({ protocol: /^https?$/ }).optional(),
  /** Tells this control plane's sandboxes from those of others with the same account. */
  E2B_NAMESPACE: z
    .string()
    .regex(/^[\w.-]{1,64}$/)
    .default("proliferate"),
  /** What one local sandbox may use; without a number of megabytes there are no limits. */
  SANDBOX_MEMORY_MB: z.coerce.number().int().min(512).optional(),
  SANDBOX_PROCESSES: z.coerce.number().int().min(64).default(2048),
  /** Whether repositories are pulled when a sandbox comes back, and not again within so many seconds. */
  SANDBOX_GIT_PULL_ON_RESTORE: z.stringbool().default(false),
  SANDBOX_GIT_PULL_CADENCE_SECONDS: z.coerce.number().int().min(0).default(0),
  /** After so many days without use a session is deleted with its text; never without it. Organisations may differ. */
  SESSION_AUTO_DELETE_DAYS: z.coerce.number().int().min(1).max(maxAutoDeleteDays).optional(),
  /** After so many seconds in which nobody asks a session or watches it, its sandbox is put away. */
  SESSION_IDLE_SECONDS: z.coerce.number().int().min(1).max(604_800).default(900),
  /** So long before a provider ends a sandbox, its session is moved to another one or put away. */
  SANDBOX_GRACE_SECONDS: z.coerce.number().int().min(1).max(3_600).default(300),
  SANDBOX_ISOLATION: z.enum(["auto", "bubblewrap", "none"]).default("auto"),
  ...modalVariables,
  /** Networks beside the public ones that integrations may call, in CIDR notation, separated by commas. */
  OUTBOUND_ALLOWED_NETWORKS: z
    .string()
    .default("")
    .transform((text) => text.split(",").map((network) => network.trim()))
    .transform((networks) => networks.filter((network) => network !== ""))
    .pipe(z.array(z.union([z.cidrv4(), z.cidrv6()]))),
  /** Of the Slack app whose buttons decide on actions, and the id of the channel that it asks in. */
  SLACK_SIGNING_SECRET: z.string().min(16).optional(),
  SLACK_APPROVALS_CHANNEL: z
    .string()
    .regex(/^[CG][A-Z0-9]{2,30}$/)
    .optional(),
  /** MCP servers that every organisation has, as a JSON list; the demo integration without one. */
  CONNECTORS: json.pipe(z.array(configuredConnectorSchema)).optional(),
});

const configSchema = settingsSchema.refine(
  ({ METRICS_PORT, METRICS_TOKEN }) => METRICS_PORT === undefined || METRICS_TOKEN !== undefined,
  { path: ["METRICS_PORT"], message: "needs a METRICS_TOKEN" },
);

export type Config = Readonly<z.infer<typeof configSchema>>;

/** Reads the settings. Throws `configuration_invalid`, naming every setting that is wrong. */
export const readConfig = (environment: Readonly<Record<string, string | undefined>>): Config => {
  const given = Object.fromEntries(
    Object.entries(environment).filter(([, value]) => value !== undefined && value !== ""),
  );
  const parsed = configSchema.safeParse(given);
  if (!parsed.success) {
    const problems = parsed.error.issues.map(
      ({ path, message }) => `${path.join(".")}: ${message}`,
    );
    throw new DomainError("configuration_invalid", `Wrong settings: ${problems.join("; ")}.`, {
      fields: { problems },
    });
  }
  return Object.freeze(parsed.data);
};
