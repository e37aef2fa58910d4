import { createBrowserRouter } from "react-router";
import { ApprovalsPage } from "../pages/approvals-page.tsx";
import { authorizationPage } from "#contracts/http/connectors";
import { ConnectorAuthorizationPage } from "../pages/connector-authorization-page.tsx";
import { ConnectorPage } from "../pages/connector-page.tsx";
import { ConnectorsPage } from "../pages/connectors-page.tsx";
import { CrashPage } from "../pages/crash-page.tsx";
import { NewSessionPage } from "../pages/new-session-page.tsx";
import { NotFoundPage } from "../pages/not-found-page.tsx";
import { PolicyPage } from "../pages/policy-page.tsx";
import { SessionsPage } from "../pages/sessions-page.tsx";
import { Shell } from "./shell.tsx";

export const router = createBrowserRouter([
  {
    Component: Shell,
    ErrorBoundary: CrashPage,
    HydrateFallback: () => null,
    children: [
      { index: true, Component: SessionsPage },
      { path: "sessions/new", Component: NewSessionPage },
      {
        path: "sessions/:sessionId",
        // The one page that needs the Markdown parser.
        lazy: async () => ({ Component: (await import("../pages/session-page.tsx")).SessionPage }),
      },
      { path: "approvals", Component: ApprovalsPage },
      { path: "connectors", Component: ConnectorsPage },
      { path: "connectors/:integration", Component: ConnectorPage },
      { path: authorizationPage, Component: ConnectorAuthorizationPage },
      { path: "policy", Component: PolicyPage },
      { path: "*", Component: NotFoundPage },
    ],
  },
]);
