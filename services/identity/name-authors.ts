import type { ISql } from "postgres";
import type { OrganizationId } from "#contracts/ids";
import type { Author, ShownAuthor } from "#contracts/transcript/author";
import { namesOf } from "./names-of.ts";

/** Gives messages their authors' names as they are now. */
export const nameAuthors = async <Message extends { readonly author: Author | null }>(
  sql: ISql,
  organization: OrganizationId,
  messages: readonly Message[],
): Promise<(Omit<Message, "author"> & { readonly author?: ShownAuthor })[]> => {
  const people = messages.flatMap(({ author }) => (author?.kind === "user" ? [author.userId] : []));
  const names = await namesOf(sql, organization, people);
  return messages.map(({ author, ...message }) => {
    if (author === null) return message;
    return {
      ...message,
      author:
        author.kind === "user" ? { ...author, name: names.get(author.userId) ?? null } : author,
    };
  });
};
