import { type QueryClient, QueryClientProvider, useQuery } from "@tanstack/react-query";
import { RouterProvider } from "react-router";
import { SignInPage } from "../pages/sign-in-page.tsx";
import { StartPage } from "../pages/start-page.tsx";
import { type Api, ApiProvider } from "./api.ts";
import { type Identity, UserProvider, identityKey } from "./identity.ts";
import { router } from "./router.tsx";

interface AppProps {
  readonly api: Api;
  readonly queryClient: QueryClient;
  readonly loadIdentity: () => Promise<Identity>;
}

export const App = ({ api, queryClient, loadIdentity }: AppProps) => (
  <QueryClientProvider client={queryClient}>
    <ApiProvider value={api}>
      <SignedInOrNot loadIdentity={loadIdentity} />
    </ApiProvider>
  </QueryClientProvider>
);

/** The address stays while somebody signs in, so that they come out where they wanted to go. */
const SignedInOrNot = ({ loadIdentity }: Pick<AppProps, "loadIdentity">) => {
  const identity = useQuery({
    queryKey: identityKey,
    queryFn: loadIdentity,
    staleTime: Infinity,
    gcTime: Infinity,
  });
  if (identity.data === undefined) {
    return <StartPage error={identity.error} onRetry={() => void identity.refetch()} />;
  }
  if (identity.data.kind === "signed_out") return <SignInPage problem={identity.data.problem} />;
  return (
    <UserProvider value={identity.data.user}>
      <RouterProvider router={router} />
    </UserProvider>
  );
};
