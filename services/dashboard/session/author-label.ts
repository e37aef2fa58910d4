import type { UserView } from "#contracts/identity/principal";
import type { ShownAuthor } from "#contracts/transcript/author";

/** How a page calls whoever asked. */
export const authorLabel = (
  author: ShownAuthor | undefined,
  reader: Pick<UserView, "id">,
): string => {
  if (author === undefined) return "Somebody";
  if (author.kind === "automation") return "Automation";
  return author.userId === reader.id ? "You" : (author.name ?? "Somebody");
};
