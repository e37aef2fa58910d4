import { userInfo } from "node:os";
import type { Actor } from "#contracts/actor";

/** Whoever gives a command, by the name that it is given for. */
export const operator = (name: string): Actor => ({ kind: "user", id: name, via: "cli" });

/** For Commander: `--by`, whoever is signed in on this machine unless told. */
export const byOption = ["--by <name>", "who wants it; it is kept", userInfo().username] as const;
