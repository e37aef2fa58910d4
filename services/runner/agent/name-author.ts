import { setTimeout as delay } from "node:timers/promises";
import type { Author, ShownAuthor } from "#contracts/transcript/author";
import type { OwnerContext } from "../owner-context.ts";

/** An author with their name, without one where it cannot be had now: the transcript has it at the next look. */
export const nameAuthor = async (
  { deps, limits, organization, session }: OwnerContext,
  author: Author,
): Promise<ShownAuthor> => {
  if (author.kind === "automation") return author;
  const { userId } = author;
  try {
    const late = delay(limits.nameAuthorMs, null, { ref: false });
    const user = await Promise.race([deps.findUser(userId), late]);
    return { ...author, name: user?.organizationId === organization ? user.name : null };
  } catch (error) {
    deps.log.warn({ err: error, sessionId: session, userId }, "an author could not be named");
    return { ...author, name: null };
  }
};
