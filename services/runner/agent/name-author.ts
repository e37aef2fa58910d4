import { setTimeout as delay } from "node:timers/promises";
import { type Author, authorOf, type ShownAuthor } from "#contracts/transcript/author";
import type { Message } from "#contracts/transcript/message";
import type { ShownMessage } from "#contracts/transcript/view";
import type { OwnerContext } from "../owner-context.ts";

/**
 * What was asked, as people see it.
 * @param by who has asked, as a prompt names them
 */
export const withAuthor = async (
  context: OwnerContext,
  asked: Message,
  by: string,
): Promise<ShownMessage> => {
  const author = authorOf(by);
  return author ? { ...asked, author: await nameAuthor(context, author) } : asked;
};

/** An author with their name, without one where it cannot be had now: the transcript has it at the next look. */
const nameAuthor = async (
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
