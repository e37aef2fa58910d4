import { Link } from "react-router";
import { EmptyState } from "../ui/empty-state.tsx";

export const NotFoundPage = () => (
  <div className="page">
    <title>Not found · Proliferate</title>
    <EmptyState title="There is nothing here">
      <p>The page or session does not exist, or it belongs to another organisation.</p>
      <Link className="button button-secondary" to="/">
        All sessions
      </Link>
    </EmptyState>
  </div>
);
