import { Button } from "./button.tsx";
import type { Pages } from "./use-pages.ts";

interface PagerProps extends Omit<Pages<unknown>, "items"> {
  /** What is on the pages, for people who cannot see what the buttons stand under. */
  readonly label: string;
}

/** Turns the pages of a list; nothing for a list of one page. */
export const Pager = ({ label, page, count, turnTo }: PagerProps) =>
  count === 1 ? null : (
    <nav className="pager" aria-label={label}>
      {/* Not disabled at the ends: a button that has the focus must not lose it. */}
      <Button aria-disabled={page === 0} onClick={() => turnTo(Math.max(0, page - 1))}>
        Previous
      </Button>
      <span className="muted" role="status">
        Page {page + 1} of {count}
      </span>
      <Button
        aria-disabled={page === count - 1}
        onClick={() => turnTo(Math.min(count - 1, page + 1))}
      >
        Next
      </Button>
    </nav>
  );
