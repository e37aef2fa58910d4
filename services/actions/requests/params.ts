/** Checks the parameters of an action against its JSON Schema, which comes from outside. */
import { Ajv, type ErrorObject, type Options, type ValidateFunction } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import type { ActionDefinition } from "#contracts/actions/definition";
import { DomainError } from "#contracts/errors";
import { isLinearSchema } from "./linear-schema.ts";
import { withinTime } from "./within-time.ts";

// Not strict: schemas of other people's servers carry keywords of their own.
const options: Options = { allErrors: true, strict: false, logger: false };
const openCompilers = (): { draft7: Ajv; draft2020: Ajv2020 } => {
  const draft7 = addFormats.default(new Ajv(options));
  const draft2020 = addFormats.default(new Ajv2020(options));
  // They compile the schema of schemas first, which is not to count as anybody's time.
  draft7.compile({});
  draft2020.compile({});
  return { draft7, draft2020 };
};
let compilers = openCompilers();

interface Validator {
  readonly validate: ValidateFunction;
  /** Whether it needs nobody to watch how long it takes, which costs more than most checks. */
  readonly isLinear: boolean;
}

/** Validators live as long as the definition that they came from. */
const validators = new WeakMap<object, Validator>();

/**
 * A schema may take exponential time, and so may a pattern in it. People's take a millisecond, but perhaps
 * on a machine that is busy with something else.
 */
const timeoutMs = 3_000;
/** Everybody waits while a schema is tried; one that has failed is left alone for so long. */
const restMs = 60_000;
const failedAt = new WeakMap<object, number>();

/** The most problems that an answer lists. */
const maxProblems = 20;

/**
 * @throws DomainError `action_params_invalid`, with the path and message of each problem;
 * `action_schema_unusable` when the schema makes no sense, or takes too long.
 */
export const validateParams = (
  definition: ActionDefinition,
  params: Readonly<Record<string, unknown>>,
): void => {
  const { validate, valid } = check(definition, params);
  if (valid) return;
  const problems = (validate.errors ?? []).slice(0, maxProblems).map(describe);
  const [first] = problems;
  throw new DomainError(
    "action_params_invalid",
    `The parameters of "${definition.id}" are not valid: ${first ? `${first.path} ${first.message}` : "unknown problem"}.`,
    { fields: { action: definition.id, problems } },
  );
};

const describe = ({
  instancePath,
  message,
  params,
}: ErrorObject): { path: string; message: string } => {
  const extra: unknown = params["additionalProperty"];
  return {
    path: instancePath || "/",
    message: `${message ?? "is not valid"}${typeof extra === "string" ? `: ${extra}` : ""}`,
  };
};

const check = (
  { id, params: schema }: ActionDefinition,
  params: Readonly<Record<string, unknown>>,
): { readonly validate: ValidateFunction; readonly valid: boolean } => {
  if (performance.now() - (failedAt.get(schema) ?? -Infinity) < restMs) throw unusable(id);
  const known = validators.get(schema);
  if (known?.isLinear) return { validate: known.validate, valid: known.validate(params) };
  try {
    return withinTime(timeoutMs, () => {
      const validate = known?.validate ?? validatorOf(schema);
      if (!known) validators.set(schema, { validate, isLinear: isLinearSchema(schema) });
      // A schema that refers to itself and to nothing else ends here, for want of a stack.
      return { validate, valid: validate(params) };
    });
  } catch (error) {
    failedAt.set(schema, performance.now());
    // They may have been interrupted at a place that they did not choose.
    compilers = openCompilers();
    throw unusable(id, error);
  }
};

const unusable = (id: string, cause?: unknown): DomainError =>
  new DomainError("action_schema_unusable", `The parameter schema of "${id}" cannot be used.`, {
    fields: { action: id },
    cause,
  });

const validatorOf = (schema: ActionDefinition["params"]): ValidateFunction => {
  const dialect = typeof schema["$schema"] === "string" ? schema["$schema"] : "";
  const { draft7, draft2020 } = compilers;
  return compile(/draft-0[467]/.test(dialect) ? draft7 : draft2020, schema);
};

const compile = (ajv: Ajv | Ajv2020, schema: Record<string, unknown>): ValidateFunction => {
  // The dialect has been chosen; ajv would look up addresses that it does not know, and an
  // asynchronous validator would answer a promise, which is never false.
  const { $schema: _dialect, $async: _async, ...rest } = schema;
  try {
    return ajv.compile(rest);
  } finally {
    // ajv would keep every schema for ever, and refuse the same `$id` the next time.
    ajv.removeSchema(rest);
  }
};
