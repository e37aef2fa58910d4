import { useState } from "react";
import type { AvailableIntegration } from "#contracts/actions/definition";
import type { PolicyView } from "#contracts/policy/view";
import { Pager } from "../ui/pager.tsx";
import { TextField } from "../ui/text-field.tsx";
import { usePages } from "../ui/use-pages.ts";
import { Tool } from "./tool.tsx";

interface ToolListProps {
  readonly integration: AvailableIntegration;
  readonly policy: PolicyView;
}

/** As many as a person can look over; a server may name hundreds. */
const perPage = 25;

export const ToolList = ({ integration, policy }: ToolListProps) => {
  const [sought, setSought] = useState("");
  const found = integration.actions.filter(({ id }) =>
    id.toLowerCase().includes(sought.trim().toLowerCase()),
  );
  const { items, ...pages } = usePages(found, perPage);
  return (
    <section className="tools" aria-label="Actions">
      <header className="tools-head">
        <h2>Actions</h2>
        <p className="muted" role="status">
          {found.length === integration.actions.length
            ? `${found.length} in all`
            : `${found.length} of ${integration.actions.length}`}
        </p>
      </header>
      {integration.actions.length > perPage && (
        <TextField
          label="Find an action"
          type="search"
          value={sought}
          spellCheck={false}
          onChange={(event) => {
            setSought(event.target.value);
            pages.turnTo(0);
          }}
        />
      )}
      <ul className="plain-list tool-list">
        {items.map((action) => (
          <li key={action.id}>
            <Tool integration={integration.id} action={action} policy={policy} />
          </li>
        ))}
      </ul>
      <Pager label="Pages of actions" {...pages} />
    </section>
  );
};
