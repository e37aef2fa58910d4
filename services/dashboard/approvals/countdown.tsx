import { clock } from "../ui/time-text.ts";
import { useNow } from "../ui/use-now.ts";

/** The time that is left to decide. Not a live region: nobody wants each second read aloud. */
export const Countdown = ({ until }: { readonly until: string }) => {
  const remaining = Date.parse(until) - useNow(1000);
  if (remaining <= 0) return <span className="muted">Time is over</span>;
  return (
    <span className={remaining < 60_000 ? "countdown countdown-short" : "countdown"}>
      Expires in <time dateTime={until}>{clock(remaining)}</time>
    </span>
  );
};
