/** What the sidecar is told: a JSON file that the boot writes. */
import { readFile } from "node:fs/promises";
import { z } from "zod";
import { DomainError } from "#contracts/errors";
import { serviceNameSchema, variablesSchema } from "../services/service.ts";

export const maxFallbackPorts = 16;

const port = z.int().min(0).max(65_535);
const absolute = z.string().startsWith("/");

const previewSchema = z.strictObject({
  /** A path, or a name on PATH. */
  caddy: z.string().min(1).default("caddy"),
  host: z.union([z.ipv4(), z.ipv6()]).default("127.0.0.1"),
  port: port.min(1).default(20_000),
  /** Tried in this order while no port is exposed. */
  fallbackPorts: z
    .array(port.min(1))
    .min(1)
    .max(maxFallbackPorts)
    .default([3000, 5173, 8000, 8080, 4321, 4200, 5000]),
});

const programSchema = z.strictObject({
  name: serviceNameSchema,
  argv: z.array(z.string()).min(1),
  /** The workspace by default. */
  cwd: absolute.optional(),
  env: variablesSchema.default({}),
});

const sidecarConfigSchema = z.strictObject({
  workspace: absolute,
  /** Services and logs are remembered here; `$HOME/.proliferate` by default. */
  stateFolder: absolute.optional(),
  host: z.union([z.ipv4(), z.ipv6()]).default("127.0.0.1"),
  /** 0: any that is free. */
  port: port.default(4000),
  /** Programs of the sandbox's own that always have to run, such as the agent's server. */
  supervise: z.array(programSchema).default([]),
  /** Without it there is no preview. */
  preview: previewSchema.optional(),
  /** Pages that may open a terminal, e.g. `https://app.example.com`. */
  allowedOrigins: z.array(z.url()).default([]),
  shell: z.array(z.string()).min(1).default(["/bin/sh", "-i"]),
});
export type SidecarConfig = z.infer<typeof sidecarConfigSchema>;
export type SidecarConfigInput = z.input<typeof sidecarConfigSchema>;

/** @throws DomainError `configuration_invalid` that names everything that is wrong */
export const parseSidecarConfig = (config: unknown): SidecarConfig => {
  const parsed = sidecarConfigSchema.safeParse(config);
  if (parsed.success) return parsed.data;
  throw new DomainError("configuration_invalid", z.prettifyError(parsed.error));
};

/** @throws DomainError `configuration_invalid` also when there is no such file */
export const readSidecarConfig = async (file: string): Promise<SidecarConfig> => {
  const text = await readFile(file, "utf8").catch((cause: unknown) => {
    throw new DomainError("configuration_invalid", `${file} cannot be read.`, { cause });
  });
  return parseSidecarConfig(parseJson(text));
};

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // Refused by the schema.
  }
};
