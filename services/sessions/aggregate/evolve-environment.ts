/** The environment variables that the agent asks people for, and those that it was given. */
import type { EnvVariableRequest } from "#contracts/session/env-request";
import type { SessionEvent } from "#contracts/session/events";
import { type ExistingSession, rememberedEnvRequests } from "./state.ts";

type EnvironmentEvent = Extract<
  SessionEvent,
  { type: "EnvVariablesRequested" | "EnvVariablesProvided" }
>;

export const evolveEnvironment = (
  state: ExistingSession,
  event: EnvironmentEvent,
): ExistingSession => {
  switch (event.type) {
    case "EnvVariablesRequested": {
      const { requestId, keys } = event.data;
      const others = state.envRequests.filter((request) => request.requestId !== requestId);
      const request = { requestId, keys, missing: neededOf(keys) };
      return { ...state, envRequests: [...others, request].slice(-rememberedEnvRequests) };
    }
    case "EnvVariablesProvided": {
      const given = new Set(event.data.names);
      const { names, version } = state.environment;
      const envRequests = state.envRequests
        .map((request) => ({
          ...request,
          missing: request.missing.filter((name) => !given.has(name)),
        }))
        .filter(({ missing }) => missing.length > 0);
      return {
        ...state,
        envRequests,
        environment: { names: [...new Set([...names, ...given])].sort(), version: version + 1 },
      };
    }
  }
};

/** Where nothing is required, all of it: somebody was asked. */
const neededOf = (keys: readonly EnvVariableRequest[]): readonly string[] => {
  const required = keys.filter(({ required }) => required);
  return (required.length > 0 ? required : keys).map(({ key }) => key);
};
