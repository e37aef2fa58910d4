import type { AuthorView } from "#contracts/policy/view";
import { PersonName } from "../ui/person-name.tsx";
import { TimeAgo } from "../ui/time.tsx";

/** Whose decision it is, where that was kept. */
export const SetBy = ({ set: { by, byName, at } }: { readonly set: AuthorView }) =>
  by === null || at === null ? null : (
    <>
      {" "}
      Set <TimeAgo at={at} /> by <PersonName id={by} name={byName} />.
    </>
  );
