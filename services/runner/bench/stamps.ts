/** Tokens that say when they were due, as long as a word: on a clock that all processes of this machine share. */
import { performance } from "node:perf_hooks";

/** Between the clock that all share and this process' own, in milliseconds. */
const ahead = Number(process.hrtime.bigint()) / 1_000_000 - performance.now();

/** @param due by `performance.now()` */
export const stampOf = (due: number): string =>
  `@${Math.round((due + ahead) * 1_000).toString(36)} `;

/** How many milliseconds ago a token was due; null for one that does not say. */
export const lagOf = (token: string): number | null =>
  token.startsWith("@")
    ? performance.now() + ahead - Number.parseInt(token.slice(1), 36) / 1_000
    : null;
