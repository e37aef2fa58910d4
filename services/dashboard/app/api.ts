/**
 * The client library as the pages use it. It adds two things: a query that follows a command waits
 * until the read model includes the command (`?after=`), and a refusal because nobody is signed in is
 * told to the application, whichever request it comes from.
 */
import { createContext, useContext } from "react";
import type { Route } from "#contracts/http/route";
import type { AnswerBody, CallArguments } from "#services/client/call";
import type { Client } from "#services/client/client";
import { isProblemError } from "#services/client/problem-error";

export type Api = Pick<Client, "call">;

export interface ApiOptions {
  readonly onSignedOut: () => void;
  /** Milliseconds; the browser's clock unless given. */
  readonly now?: () => number;
}

/**
 * How long queries ask for the newest command. Read models are milliseconds behind; when one is stuck,
 * this ends the waiting of every query.
 */
const followForMs = 10_000;

export const createApi = (client: Pick<Client, "call">, options: ApiOptions): Api => {
  const { onSignedOut, now = () => performance.now() } = options;
  let newest: { readonly position: string; readonly at: number } | null = null;

  return {
    call: async <R extends Route>(
      route: R,
      ...[input]: CallArguments<R>
    ): Promise<AnswerBody<R>> => {
      const after = newest && now() - newest.at < followForMs ? newest.position : null;
      const follows = after !== null && route.query !== undefined && "after" in route.query.shape;
      const call = follows ? { ...input, query: { after, ...input?.query } } : input;
      try {
        const body = await client.call(route, ...([call] as CallArguments<R>));
        const position = positionOf(body);
        if (position !== null) newest = { position, at: now() };
        return body;
      } catch (error) {
        if (isProblemError(error) && error.status === 401) onSignedOut();
        throw error;
      }
    },
  };
};

const positionOf = (body: unknown): string | null =>
  typeof body === "object" &&
  body !== null &&
  "position" in body &&
  typeof body.position === "string"
    ? body.position
    : null;

const ApiContext = createContext<Api | null>(null);
export const ApiProvider = ApiContext.Provider;

export const useApi = (): Api => {
  const api = useContext(ApiContext);
  if (!api) throw new Error("useApi needs an ApiProvider above it.");
  return api;
};
