import { Link, NavLink, Outlet } from "react-router";
import { usePendingApprovals } from "../approvals/approval-queries.ts";
import { Button } from "../ui/button.tsx";
import { ProblemNotice } from "../ui/problem-notice.tsx";
import { useSignOut, useUser } from "./identity.ts";

/** What surrounds every page: the way around, and who is signed in. */
export const Shell = () => (
  <div className="shell">
    <a className="skip-link" href="#content">
      Skip to content
    </a>
    <header className="topbar">
      <Link className="brand" to="/">
        <img src="/favicon.svg" alt="" width="24" height="24" />
        Proliferate
      </Link>
      <nav className="topbar-nav" aria-label="Main">
        <NavLink to="/" end>
          Sessions
        </NavLink>
        <ApprovalsLink />
        <NavLink to="/connectors">Connectors</NavLink>
        <NavLink to="/policy">Policy</NavLink>
      </nav>
      <Account />
    </header>
    <main className="content" id="content" tabIndex={-1}>
      <Outlet />
    </main>
  </div>
);

const ApprovalsLink = () => {
  const { data } = usePendingApprovals();
  const count = data?.length ?? 0;
  return (
    <NavLink to="/approvals">
      Approvals
      {count > 0 && (
        <span className="count">
          {count} <span className="visually-hidden">waiting</span>
        </span>
      )}
    </NavLink>
  );
};

const Account = () => {
  const user = useUser();
  const signOut = useSignOut();
  return (
    <div className="account">
      <div className="account-name" title={user.email}>
        <span>{user.name}</span>
        <span className="muted">
          {user.organizationName} · {user.role}
        </span>
      </div>
      <Button kind="quiet" busy={signOut.isPending} onClick={() => signOut.mutate()}>
        Sign out
      </Button>
      <ProblemNotice error={signOut.error} />
    </div>
  );
};
