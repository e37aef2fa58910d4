/**
 * The service definitions that the real SDK encodes and decodes with. They are inside its bundle but not
 * exported, so the bundle is evaluated once more here, from memory, with one more line that hands them out.
 */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { compileFunction } from "node:vm";
import type { CompatServiceDefinition } from "nice-grpc";
import { z } from "zod";

const definitionSchema = z.custom<{ readonly methods: Readonly<Record<string, unknown>> }>(
  (value) =>
    z.object({ fullName: z.string(), methods: z.record(z.string(), z.object()) }).safeParse(value)
      .success,
  "The SDK has changed: its service definitions are not where they were.",
);

const loadDefinitions = () => {
  const bundle = createRequire(import.meta.url).resolve("modal");
  const handOut = "\nreturn [ModalClientDefinition, TaskCommandRouterDefinition];";
  const evaluate = compileFunction(
    readFileSync(bundle, "utf8") + handOut,
    ["module", "exports", "require", "__filename", "__dirname"],
    { filename: bundle },
  ) as (...args: unknown[]) => unknown;
  const module = { exports: {} };
  const found = evaluate(
    module,
    module.exports,
    createRequire(bundle),
    bundle,
    path.dirname(bundle),
  );
  return z.tuple([definitionSchema, definitionSchema]).parse(found);
};

const [controlPlane, commandRouter] = loadDefinitions();
const services = { controlPlane, commandRouter };

/**
 * The part of a service that is implemented; a call to any other method is answered with UNIMPLEMENTED.
 * @param implementation its methods by the SDK's names, e.g. `sandboxCreateV2`
 */
export const definitionOf = (
  service: keyof typeof services,
  implementation: object,
): CompatServiceDefinition => {
  const definition = services[service];
  const methods = Object.keys(implementation);
  const unknown = methods.filter((method) => !(method in definition.methods));
  if (unknown.length > 0) throw new Error(`The SDK has no method ${unknown.join(", ")}.`);
  const implemented = Object.entries(definition.methods).filter(([name]) => methods.includes(name));
  return {
    ...definition,
    methods: Object.fromEntries(implemented),
  } as unknown as CompatServiceDefinition;
};
