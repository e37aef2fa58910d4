import { timeAgo } from "./time-text.ts";
import { useNow } from "./use-now.ts";

const exact = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium" });

/** A point in time as people say it ("5 minutes ago"), with the exact one on hover. */
export const TimeAgo = ({ at }: { readonly at: string }) => {
  const now = useNow(30_000);
  return (
    <time dateTime={at} title={exact.format(new Date(at))}>
      {timeAgo(Date.parse(at), now)}
    </time>
  );
};
