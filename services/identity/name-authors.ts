import type { ISql } from "postgres";
import type { OrganizationId, UserId } from "#contracts/ids";
import type { Author, ShownAuthor } from "#contracts/transcript/author";

/**
 * Gives messages their authors' names as they are now: the log has ids, since people may be renamed or
 * erased. An id that the organisation has not is nobody's name.
 */
export const nameAuthors = async <Message extends { readonly author: Author | null }>(
  sql: ISql,
  organization: OrganizationId,
  messages: readonly Message[],
): Promise<(Omit<Message, "author"> & { readonly author?: ShownAuthor })[]> => {
  const people = messages.flatMap(({ author }) => (author?.kind === "user" ? [author.userId] : []));
  const names = await namesOf(sql, organization, [...new Set(people)]);
  return messages.map(({ author, ...message }) => {
    if (author === null) return message;
    return {
      ...message,
      author:
        author.kind === "user" ? { ...author, name: names.get(author.userId) ?? null } : author,
    };
  });
};

const namesOf = async (
  sql: ISql,
  organization: OrganizationId,
  people: readonly UserId[],
): Promise<ReadonlyMap<UserId, string>> => {
  if (people.length === 0) return new Map();
  const rows = await sql<{ id: UserId; name: string }[]>`
    SELECT id, name FROM identity.users
    WHERE organization_id = ${organization} AND id = ANY(${people})`;
  return new Map(rows.map(({ id, name }) => [id, name]));
};
