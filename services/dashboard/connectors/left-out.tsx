import type { LeftOutAction } from "#contracts/actions/definition";
import { ForeignText } from "../ui/foreign-text.tsx";
import { leftOutText } from "./action-text.ts";

/** What an integration names and no agent is offered, and why. The server names fifty at most. */
export const LeftOut = ({ leftOut }: { readonly leftOut: readonly LeftOutAction[] }) =>
  leftOut.length === 0 ? null : (
    <section className="tools" aria-label="Left out">
      <h2>Left out</h2>
      <ul className="plain-list left-out">
        {leftOut.map(({ name, code }, index) => (
          <li key={index}>
            <span className="tool-name breakable">
              <ForeignText text={name === "" ? "(no name)" : name} />
            </span>{" "}
            <span className="muted">{leftOutText[code]}</span>
          </li>
        ))}
      </ul>
    </section>
  );
