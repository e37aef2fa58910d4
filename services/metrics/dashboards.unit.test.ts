/** What people look at names metrics by strings: here they are held against what the program has. */
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { openMetrics } from "./open-metrics.ts";
import { measureSystem } from "./system-metrics.ts";

const nobodyAsks = (): Promise<never> => Promise.reject(new Error("Nobody asks for it here."));

const { registry } = openMetrics({ ofProcess: true });
measureSystem(
  registry,
  { projections: nobodyAsks, deadLetters: nobodyAsks },
  { log: { warn: () => undefined } },
);

const read = (path: string): string =>
  readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");

/** The labels by series; prom-client's declarations leave both properties out. */
const labelsOf = new Map(
  (
    registry.getMetricsAsArray() as unknown as {
      readonly name: string;
      readonly type: string;
      readonly labelNames: readonly string[];
    }[]
  ).flatMap(({ name, type, labelNames }) =>
    type === "histogram"
      ? [
          [`${name}_bucket`, [...labelNames, "le"]] as const,
          [`${name}_count`, labelNames] as const,
          [`${name}_sum`, labelNames] as const,
        ]
      : [[name, labelNames] as const],
  ),
);
/** What Prometheus adds. */
const ofTarget = ["job", "instance", "role"];

const queriesOf = (text: string): readonly string[] => {
  const found: string[] = [];
  JSON.parse(text, (key, value: unknown) => {
    if (key === "expr") found.push(String(value));
    return value;
  });
  return found;
};

const series = /\b(?:proliferate|process|nodejs)_\w+|\bup\b/g;

/** What a query names that the program does not have. */
const unknownOf = (query: string): readonly string[] => {
  const named = query.match(series) ?? [];
  const known = new Set([...named.flatMap((name) => labelsOf.get(name) ?? []), ...ofTarget]);
  const labels = [
    ...[...query.matchAll(/\b(?:by|without)\s*\(([^)]*)\)/g)].flatMap(([, list = ""]) =>
      list.split(",").map((label) => label.trim()),
    ),
    ...[...query.matchAll(/(\w+)\s*(?:=~|!~|!=|=)\s*"/g)].map(([, label = ""]) => label),
  ];
  return [
    ...named.filter((name) => name !== "up" && !labelsOf.has(name)),
    ...labels.filter((label) => !known.has(label)),
  ];
};

it("shows on the dashboard what the program measures, by its labels", () => {
  const queries = queriesOf(read("infra/grafana/dashboards/proliferate.json"));
  expect(queries.length).toBeGreaterThan(20);
  for (const query of queries) {
    expect(query).toMatch(series);
    expect(unknownOf(query), query).toEqual([]);
  }
});

it("alerts on what the program measures", () => {
  const rules = read("infra/prometheus/alerts.yml").split(/^ +- alert: /m);
  expect(rules.length).toBeGreaterThan(5);
  for (const rule of rules.slice(1)) {
    const [query = ""] = rule.split("expr:")[1]?.split(/^ +(?:for|annotations):/m) ?? [];
    expect(query).toMatch(series);
    expect(unknownOf(query), query).toEqual([]);
  }
});

it("says in the documents what each metric tells", () => {
  const described = read("docs/operations.md");
  const own = registry
    .getMetricsAsArray()
    .map(({ name }) => name)
    .filter((name) => name.startsWith("proliferate_"));
  expect(own.filter((name) => !described.includes(`\`${name}\``))).toEqual([]);
});
