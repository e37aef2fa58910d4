/** Who is signed in. The session is a cookie that scripts cannot read; no token is kept here. */
import { type QueryClient, useMutation, useQueryClient } from "@tanstack/react-query";
import { createContext, useContext } from "react";
import { getMe, signIn, signOut } from "#contracts/http/identity";
import { type UserView, approverRoles } from "#contracts/identity/principal";
import { isProblemError } from "#services/client/problem-error";
import { type Api, useApi } from "./api.ts";

export type Identity =
  | { readonly kind: "signed_in"; readonly user: UserView }
  /** `problem` is why a sign-in link did not work. */
  | { readonly kind: "signed_out"; readonly problem: unknown };

export const signedOut = (problem: unknown = null): Identity => ({ kind: "signed_out", problem });

export const identityKey = ["identity"] as const;

/**
 * Makes the function that finds out who is signed in. A token from a sign-in link is used the first
 * time only, since it works once; if it fails, a cookie from before still counts.
 */
export const identityLoader = (api: Api, linkToken: string | null) => {
  let unusedToken = linkToken;
  return async (): Promise<Identity> => {
    const token = unusedToken;
    unusedToken = null;
    let problem: unknown = null;
    if (token !== null) {
      try {
        return await exchangeToken(api, token);
      } catch (error) {
        problem = error;
      }
    }
    try {
      return { kind: "signed_in", user: await api.call(getMe) };
    } catch (error) {
      if (isProblemError(error) && error.status === 401) return signedOut(problem);
      throw error;
    }
  };
};

/** The answer's access token is dropped on purpose: the cookie that came with it is enough. */
const exchangeToken = async (api: Api, token: string): Promise<Identity> => {
  const { user } = await api.call(signIn, { body: { token } });
  return { kind: "signed_in", user };
};

export const useSignIn = () => {
  const api = useApi();
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (token: string) => exchangeToken(api, token),
    onSuccess: (identity) => become(queryClient, identity),
  });
};

export const useSignOut = () => {
  const api = useApi();
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: () => api.call(signOut),
    onSuccess: () => become(queryClient, signedOut()),
  });
};

/** What one person has loaded must not be shown to the next one. */
const become = (queryClient: QueryClient, identity: Identity): void => {
  queryClient.setQueryData(identityKey, identity);
  queryClient.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== identityKey[0] });
};

const UserContext = createContext<UserView | null>(null);
export const UserProvider = UserContext.Provider;

/** The person who is signed in. */
export const useUser = (): UserView => {
  const user = useContext(UserContext);
  if (!user) throw new Error("useUser needs a UserProvider above it.");
  return user;
};

/** Whether this person may approve and deny actions. The server decides; this only shows the buttons. */
export const mayApprove = (user: UserView): boolean => approverRoles.includes(user.role);
