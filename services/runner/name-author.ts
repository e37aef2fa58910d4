import { setTimeout as delay } from "node:timers/promises";
import type { Author, ShownAuthor } from "#contracts/transcript/author";
import type { OwnerContext } from "./owner-context.ts";

/** In milliseconds: a name is for those who watch, and the agent waits for it. */
const patienceMs = 2_000;

/** An author with their name, without one where it cannot be had now: the transcript has it at the next look. */
export const nameAuthor = async (
  { deps, organization, session }: OwnerContext,
  author: Author,
): Promise<ShownAuthor> => {
  if (author.kind === "automation") return author;
  const { userId } = author;
  try {
    const late = delay(patienceMs, null, { ref: false });
    const user = await Promise.race([deps.findUser(userId), late]);
    return { ...author, name: user?.organizationId === organization ? user.name : null };
  } catch (error) {
    deps.log.warn({ err: error, sessionId: session, userId }, "an author could not be named");
    return { ...author, name: null };
  }
};
