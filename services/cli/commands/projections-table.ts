import type { readProjectionStatus } from "#projections/status";

type Status = Awaited<ReturnType<typeof readProjectionStatus>>;

/** The status of the read models as lines for people. */
export const describeProjections = ({ models, shards, rebuild }: Status): readonly string[] => [
  `read models: ${models.map(({ name, version }) => `${name} v${version}`).join(", ")}`,
  "",
  ...aligned([
    ["shard", "state", "checkpoint", "log", "lag", "last report"],
    ...shards.map(({ shard, state, checkpoint, end, lag, reportedAt }) =>
      [shard, state, checkpoint, end, lag, reportedAt ?? "never"].map(String),
    ),
  ]),
  ...shards.flatMap(({ shard, problem }) => {
    if (problem === null) return [];
    const { code, message, commit } = problem;
    const at =
      commit === null
        ? ""
        : ` at ${commit.position}, ${commit.aggregate ?? "no commit"} (${commit.eventTypes.join(", ")})`;
    return ["", `shard ${shard}${at}: ${code}: ${message}`];
  }),
  ...(rebuild === null ? [] : ["", describeRebuild({ ...rebuild, secondsLeft: null })]),
];

/** How far new tables have come, as a line for people. */
export const describeRebuild = (rebuild: {
  readonly commits: number;
  readonly of: number;
  readonly secondsLeft: number | null;
}): string => {
  const { commits, of, secondsLeft } = rebuild;
  const percent = of === 0 ? 100 : Math.floor((100 * commits) / of);
  const left = secondsLeft === null ? "" : `, about ${secondsLeft} s left`;
  return `new tables: ${percent} % (${commits} of ${of} commits)${left}`;
};

const aligned = (rows: readonly (readonly string[])[]): readonly string[] => {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => (row[column] ?? "").length)),
  );
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join("  ")
      .trimEnd(),
  );
};
