/** The values of the environment variables that people have given a session. */
import type { Secrets } from "../../secrets/secrets.ts";
import type { SessionRef } from "../session-log.ts";

export type Values = Readonly<Record<string, string>>;

export interface SessionValues {
  /** Keeps them in the place of former ones of their names. */
  keep(session: SessionRef, values: Values): Promise<void>;
  /** Those that are there. */
  read(session: SessionRef, names: readonly string[]): Promise<Values>;
  /** Fine if they are not there any more. */
  forget(session: SessionRef, names: readonly string[]): Promise<void>;
}

const secretOf = ({ organization, session }: SessionRef, name: string) => ({
  organization,
  name: `session/${session}/env/${name}`,
});

/** Each is a secret of its own, so that two people who give different ones do not undo each other's. */
export const createSessionValues = (secrets: Secrets): SessionValues => ({
  keep: async (session, values) => {
    for (const [name, value] of Object.entries(values)) {
      await secrets.putSecret({ ...secretOf(session, name), value });
    }
  },
  read: async (session, names) => {
    const found = await Promise.all(
      names.map(async (name) => [name, await secrets.getSecret(secretOf(session, name))] as const),
    );
    return Object.fromEntries(
      found.filter((entry): entry is readonly [string, string] => entry[1] !== null),
    );
  },
  forget: async (session, names) => {
    for (const name of names) await secrets.deleteSecret(secretOf(session, name));
  },
});
