import type { ShardReport, StatusReport } from "#projections/status";

/** The status of the read models as lines for people. */
export const describeProjections = ({ models }: StatusReport): readonly string[] => {
  const builds = models.flatMap(({ name, rebuild }) =>
    rebuild === null ? [] : [{ name: `${name} (new tables)`, ...rebuild }],
  );
  const listed = [...models, ...builds];
  return [
    ...aligned([
      ["read model", "version", "shard", "state", "checkpoint", "log", "lag", "last report"],
      ...listed.flatMap(({ name, version, shards }) =>
        shards.map(({ shard, state, checkpoint, end, lag, reportedAt }) =>
          [name, version, shard, state, checkpoint, end, lag, reportedAt ?? "never"].map(String),
        ),
      ),
    ]),
    ...listed.flatMap(({ name, shards }) =>
      shards.flatMap((shard) => describeProblem(name, shard)),
    ),
  ];
};

const describeProblem = (
  model: string,
  { shard, problem }: Pick<ShardReport, "shard" | "problem">,
): readonly string[] => {
  if (problem === null) return [];
  const { code, message, commit } = problem;
  const at =
    commit === null
      ? ""
      : ` at ${commit.position}, ${commit.aggregate ?? "no commit"} (${commit.eventTypes.join(", ")})`;
  return ["", `${model}, shard ${shard}${at}: ${code}: ${message}`];
};

export interface BuildProgress {
  /** The read models that are being built. */
  readonly models: readonly string[];
  /** How many commits the slowest of them contains, of how many. */
  readonly commits: number;
  readonly of: number;
  readonly secondsLeft: number | null;
}

/** How far new tables have come, as a line for people. */
export const describeBuild = ({ models, commits, of, secondsLeft }: BuildProgress): string => {
  const percent = of === 0 ? 100 : Math.floor((100 * commits) / of);
  const left = secondsLeft === null ? "" : `, about ${secondsLeft} s left`;
  return `${models.join(", ")}: ${percent} % (${commits} of ${of} commits)${left}`;
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
