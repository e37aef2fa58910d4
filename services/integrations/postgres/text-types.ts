/** Values whose text says more than what JavaScript would make of them: `infinity`, microseconds, bytes. */
import type { PostgresType } from "postgres";

const asText = (oids: number[]): PostgresType<string> => ({
  to: oids[0] ?? 25,
  from: oids,
  serialize: (value: string) => value,
  parse: (text: string) => text,
});

export const textTypes = {
  // date, timestamp, timestamptz
  date: asText([1082, 1114, 1184]),
  bytea: asText([17]),
};
