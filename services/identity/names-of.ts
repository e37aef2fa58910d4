import type { ISql } from "postgres";
import type { OrganizationId } from "#contracts/ids";

/**
 * The names of an organisation's people as they are now, by id. The log has ids, since people may be renamed or
 * erased. An id that the organisation has not is nobody's name, and is left out.
 */
export const namesOf = async (
  sql: ISql,
  organization: OrganizationId,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> => {
  if (ids.length === 0) return new Map();
  const rows = await sql<{ id: string; name: string }[]>`
    SELECT id, name FROM identity.users
    WHERE organization_id = ${organization} AND id = ANY(${[...new Set(ids)]})`;
  return new Map(rows.map(({ id, name }) => [id, name]));
};
