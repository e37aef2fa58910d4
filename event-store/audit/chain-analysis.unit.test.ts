import { describe, expect, it } from "vitest";
import { genesisHash } from "#contracts/commit";
import { formatPosition } from "../position.ts";
import { analyseChain, type ChainLink } from "./chain-analysis.ts";

const ref = { organization: "org_1", aggregate: "policy", id: "pol_1" } as const;

/** The commit `name`, which follows another; its hash is its name. */
const commit = (name: string, prev: string, commandId = name) => ({ hash: name, prev, commandId });
const a = commit("a", genesisHash);
const b = commit("b", "a");
const c = commit("c", "b");
const d = commit("d", "c");
const whole = [a, b, c, d];

type Written = ReturnType<typeof commit> & { readonly follows?: number };

const analyse = (commits: readonly Written[], witnessed: readonly Written[] | null = null) =>
  analyseChain({
    ref,
    shard: 0,
    links: commits.map((written, index): ChainLink => ({
      follows: null,
      ...written,
      sequence: index + 1,
      position: formatPosition(0, index + 1),
    })),
    witnessed: witnessed && {
      through: 100,
      commits: witnessed.map(({ hash, commandId }, index) => ({
        shard: 0,
        sequence: index + 1,
        hash,
        commandId,
      })),
    },
  }).map(({ kind, position, expected, named }) => [kind, position, expected, named]);

describe("the chain of an aggregate", () => {
  it("has no fault when it is whole", () => {
    expect(analyse(whole)).toEqual([]);
    expect(analyse(whole, whole)).toEqual([]);
    expect(analyse([])).toEqual([]);
  });

  it("tells a changed commit from a removed one by the witness", () => {
    const changed = { ...b, hash: "B" };
    expect(analyse([a, changed, c, d], whole)).toEqual([["changed", "0:2", "b", "B"]]);
    expect(analyse([a, c, d], whole)).toEqual([["removed", "0:2", "b", null]]);
  });

  it("tells them apart by what the writer of the next commit said, too", () => {
    const changed = { ...b, hash: "B" };
    expect(analyse([a, changed, { ...c, follows: 2 }, d])).toEqual([["changed", "0:2", "b", "B"]]);
    expect(analyse([a, { ...c, follows: 7 }])).toEqual([["removed", "0:7", "b", null]]);
    expect(analyse([{ ...b, follows: 7 }])).toEqual([["removed", "0:7", "a", null]]);
  });

  it("leaves open which it was when nobody knows", () => {
    expect(analyse([a, c, d])).toEqual([["changed_or_removed", "0:2", "a", "b"]]);
    expect(analyse([b, c])).toEqual([["changed_or_removed", "0:1", genesisHash, "a"]]);
  });

  it("finds a changed, a removed and a forged end only by the witness", () => {
    const forged = { ...d, hash: "D" };
    expect(analyse([a, b, c, forged])).toEqual([]);
    expect(analyse([a, b, c, forged], whole)).toEqual([["changed", "0:4", "d", "D"]]);
    expect(analyse([a, b], whole)).toEqual([
      ["removed", "0:3", "c", null],
      ["removed", "0:4", "d", null],
    ]);
    expect(analyse([], [a])).toEqual([["removed", "0:1", "a", null]]);
    expect(analyse([...whole, commit("e", "d")], whole)).toEqual([["added", "0:5", null, "e"]]);
  });

  it("finds a history that was written anew from some commit on", () => {
    const anew = [a, commit("B", "a", "b"), commit("C", "B", "c"), commit("D", "C", "d")];
    expect(analyse(anew)).toEqual([]);
    expect(analyse(anew, whole)).toEqual([
      ["changed", "0:2", "b", "B"],
      ["changed", "0:3", "c", "C"],
      ["changed", "0:4", "d", "D"],
    ]);
  });

  it("names the commit that stands before its predecessor, once for each", () => {
    expect(analyse([a, c, b, d])).toEqual([["reordered", "0:2", "a", "b"]]);
    expect(analyse([d, a, b, c])).toEqual([["reordered", "0:1", genesisHash, "c"]]);
    expect(analyse([a, c, b, d], whole)).toEqual([["reordered", "0:2", "a", "b"]]);
  });

  it("names a commit that stands there twice, and nothing that follows from it", () => {
    expect(analyse([a, b, b, c, d])).toEqual([["repeated", "0:3", "b", "a"]]);
    expect(analyse([a, b, c, a, d], whole)).toEqual([["repeated", "0:4", "c", genesisHash]]);
  });

  it("names the second of two commits that follow the same one", () => {
    const rival = commit("x", "a");
    expect(analyse([a, b, rival, c])).toEqual([["forked", "0:3", "b", "a"]]);
  });

  it("tells several faults of one chain apart", () => {
    const changed = { ...b, hash: "B" };
    expect(analyse([a, changed, d, d], whole)).toEqual([
      ["repeated", "0:4", "d", "c"],
      ["changed", "0:2", "b", "B"],
      ["removed", "0:3", "c", null],
    ]);
  });
});
