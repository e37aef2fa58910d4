import "./app/zod-without-eval.ts";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { createClient } from "#services/client/client";
import { createApi } from "./app/api.ts";
import { App } from "./app/app.tsx";
import { identityLoader, identityKey, signedOut } from "./app/identity.ts";
import { createQueryClient } from "./app/query-client.ts";
import { takeTokenFromFragment } from "./app/sign-in-link.ts";

const root = document.getElementById("root");
if (!root) throw new Error("The page has no #root element.");

const queryClient = createQueryClient();
const api = createApi(createClient({ baseUrl: "" }), {
  onSignedOut: () => {
    queryClient.setQueryData(identityKey, signedOut());
  },
});
const loadIdentity = identityLoader(api, takeTokenFromFragment(window));

createRoot(root).render(
  <StrictMode>
    <App api={api} queryClient={queryClient} loadIdentity={loadIdentity} />
  </StrictMode>,
);
