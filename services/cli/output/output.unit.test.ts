import { describe, expect, it } from "vitest";
import { jsonDifferences } from "./json-difference.ts";
import { tablePrinter } from "./table.ts";
import { treeLines } from "./tree.ts";

describe("differences of JSON values", () => {
  it("are none where nothing differs", () => {
    expect(jsonDifferences({ a: [1, { b: null }] }, { a: [1, { b: null }] })).toEqual([]);
  });

  it("name the place and what stood and stands there", () => {
    expect(
      jsonDifferences(
        { status: "pending", "odd name": 1, inner: { gone: true } },
        { status: "running", "odd name": 2, inner: { come: [] } },
      ),
    ).toEqual([
      { path: "status", kind: "changed", before: "pending", after: "running" },
      { path: '["odd name"]', kind: "changed", before: 1, after: 2 },
      { path: "inner.gone", kind: "removed", before: true },
      { path: "inner.come", kind: "added", after: [] },
    ]);
  });

  it("say that an item has left a queue, or joined it, and not that all have moved", () => {
    const queue = (...names: string[]) => ({ queue: names.map((name) => ({ name })) });
    expect(jsonDifferences(queue("a", "b", "c"), queue("b", "c"))).toEqual([
      { path: "queue[0]", kind: "removed", before: { name: "a" } },
    ]);
    expect(jsonDifferences(queue("a", "b"), queue("a", "b", "c"))).toEqual([
      { path: "queue[2]", kind: "added", after: { name: "c" } },
    ]);
    expect(jsonDifferences(queue("a", "b", "c"), queue("a", "x", "c"))).toEqual([
      { path: "queue[1].name", kind: "changed", before: "b", after: "x" },
    ]);
  });

  it("treat a change of kind as one difference", () => {
    expect(jsonDifferences([1], { 0: 1 })).toEqual([
      { path: "", kind: "changed", before: [1], after: { 0: 1 } },
    ]);
  });
});

describe("output", () => {
  it("shows no control characters of the log's", () => {
    const lines: string[] = [];
    const print = tablePrinter<string>(
      (line) => lines.push(line),
      [
        { title: "NAME", width: 6, text: (name) => name },
        { title: "LENGTH", width: 0, text: (name) => String(name.length) },
      ],
    );
    print("abc");
    print("\u001b[2J\u009b");
    expect(lines).toEqual(["NAME    LENGTH", "abc     3", "\\u001b[2J\\u009b  5"]);
  });

  it("draws a tree", () => {
    const leaf = (label: string) => ({ label, children: [] });
    const tree = { label: "a", children: [{ label: "b", children: [leaf("c")] }, leaf("d")] };
    expect(treeLines(tree)).toEqual(["a", "├─ b", "│  └─ c", "└─ d"]);
  });
});
