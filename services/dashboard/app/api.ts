/**
 * The client library as the pages use it: a refusal because nobody is signed in is told to the
 * application, whichever request it comes from.
 */
import { createContext, useContext } from "react";
import type { Client } from "#services/client/client";
import { isProblemError } from "#services/client/problem-error";

export type Api = Pick<Client, "call">;

export interface ApiOptions {
  readonly onSignedOut: () => void;
}

export const createApi = (client: Api, { onSignedOut }: ApiOptions): Api => ({
  call: async (...call) => {
    try {
      return await client.call(...call);
    } catch (error) {
      if (isProblemError(error) && error.status === 401) onSignedOut();
      throw error;
    }
  },
});

const ApiContext = createContext<Api | null>(null);
export const ApiProvider = ApiContext.Provider;

export const useApi = (): Api => {
  const api = useContext(ApiContext);
  if (!api) throw new Error("useApi needs an ApiProvider above it.");
  return api;
};
