/**
 * Identifiers: a short prefix that says what is named, and 26 characters of Crockford base32.
 *
 * New ids are ULIDs, so they sort by the time of their making. Ids that must come out the same for the
 * same input (idempotent creation, deduplicated deliveries) are version 5 UUIDs in the same alphabet.
 */
import { ulid } from "ulid";
import { v5 as uuidv5, parse as parseUuid } from "uuid";
import { z } from "zod";

/** What each prefix names. */
export const idPrefixes = {
  organization: "org",
  user: "usr",
  service_token: "svt",
  configuration: "cfg",
  session: "ses",
  prompt: "prm",
  message: "msg",
  invocation: "inv",
  policy: "pol",
  integration: "int",
  connector: "con",
  credentials: "crd",
  rule: "rul",
  trigger: "trg",
  run: "run",
  event: "evt",
  command: "cmd",
} as const;

export type IdKind = keyof typeof idPrefixes;

/** An id of the given kind, for example `ses_01J8Z0K3V9Q6T4C2B7N5M1XWYA`. */
export type Id<K extends IdKind> = `${(typeof idPrefixes)[K]}_${string}`;

export type OrganizationId = Id<"organization">;
export type UserId = Id<"user">;
export type ServiceTokenId = Id<"service_token">;
export type ConfigurationId = Id<"configuration">;
export type SessionId = Id<"session">;
export type PromptId = Id<"prompt">;
export type MessageId = Id<"message">;
export type InvocationId = Id<"invocation">;
export type RuleId = Id<"rule">;
export type TriggerId = Id<"trigger">;
export type RunId = Id<"run">;
export type EventId = Id<"event">;
export type CommandId = Id<"command">;

const alphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/** The namespace of all ids that are derived from their input; must never change. */
const derivedIdNamespace = "7d0b5c3e-4f7a-5d43-9a1e-0c6f7e5a9b21";

/** A schema for the ids of one kind. */
export const idSchema = <K extends IdKind>(kind: K) =>
  z.templateLiteral([
    z.literal(`${idPrefixes[kind]}_`),
    z.string().regex(/^[0-9A-HJKMNP-TV-Z]{26}$/),
  ]) as unknown as z.ZodType<Id<K>, Id<K>>;

/**
 * Makes a new id; ids of later milliseconds sort after those of earlier ones. They are joined, because
 * concatenated text stays a tree of its 26 characters (1 KB) until somebody else pays for making it flat.
 */
export const newId = <K extends IdKind>(kind: K): Id<K> =>
  [idPrefixes[kind], ulid(undefined, randomFraction)].join("_") as Id<K>;

const randomBytes = new Uint8Array(1_024);
let usedBytes = randomBytes.length;

/**
 * A random byte as a fraction of 256, which gives each of the 32 characters the same chance. Bytes are
 * drawn from the system many at a time: one by one, as `ulid` does, takes most of a command's time.
 */
const randomFraction = (): number => {
  if (usedBytes === randomBytes.length) {
    crypto.getRandomValues(randomBytes);
    usedBytes = 0;
  }
  const byte = randomBytes[usedBytes] ?? 0;
  usedBytes += 1;
  return byte / 256;
};

/**
 * The id of this kind that belongs to these parts: the same parts always give the same id, and
 * different parts different ones (the parts are separated, so `["a", "bc"]` is not `["ab", "c"]`).
 */
export const derivedId = <K extends IdKind>(kind: K, ...parts: readonly string[]): Id<K> =>
  `${idPrefixes[kind]}_${base32(parseUuid(uuidv5(JSON.stringify([kind, ...parts]), derivedIdNamespace)))}`;

/** 128 bits as 26 characters, the first of which carries only three bits, as in a ULID. */
const base32 = (bytes: Uint8Array): string => {
  let value = bytes.reduce((sum, byte) => (sum << 8n) | BigInt(byte), 0n);
  let text = "";
  for (let index = 0; index < 26; index += 1) {
    text = (alphabet[Number(value & 31n)] ?? "") + text;
    value >>= 5n;
  }
  return text;
};
