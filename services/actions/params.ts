/** Checks the parameters of an action against its JSON Schema, which comes from outside. */
import { Ajv, type ErrorObject, type Options, type ValidateFunction } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import type { ActionDefinition } from "#contracts/actions/definition";
import { DomainError } from "#contracts/errors";

// Not strict: schemas of other people's servers carry keywords of their own.
const options: Options = { allErrors: true, strict: false, logger: false };
const draft7 = addFormats.default(new Ajv(options));
const draft2020 = addFormats.default(new Ajv2020(options));

/** Validators live as long as the definition that they came from. */
const validators = new WeakMap<object, ValidateFunction>();

/** The most problems that an answer lists. */
const maxProblems = 20;

/**
 * @throws DomainError `action_params_invalid`, with the path and message of each problem;
 * `action_failed` when the schema itself makes no sense.
 */
export const validateParams = (
  definition: ActionDefinition,
  params: Readonly<Record<string, unknown>>,
): void => {
  const validate = validatorOf(definition);
  if (validate(params)) return;
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

const validatorOf = ({ id, params: schema }: ActionDefinition): ValidateFunction => {
  const known = validators.get(schema);
  if (known) return known;
  const dialect = typeof schema["$schema"] === "string" ? schema["$schema"] : "";
  const ajv = /draft-0[467]/.test(dialect) ? draft7 : draft2020;
  try {
    const validate = compile(ajv, schema);
    validators.set(schema, validate);
    return validate;
  } catch (error) {
    throw new DomainError("action_failed", `The parameter schema of "${id}" cannot be used.`, {
      cause: error,
    });
  }
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
