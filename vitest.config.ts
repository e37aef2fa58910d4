import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { LongestFirst } from "./infra/testing/longest-first.ts";

const root = fileURLToPath(new URL(".", import.meta.url));

const exclude = ["node_modules/**", "dist/**", ".data/**", ".cache/**"];

/** Integration tests to which the number of copies is nothing. */
const onNoLogOrTheirOwn = [
  // They start the servers that they end or damage.
  "event-store/**/*-restart.int.test.ts",
  "event-store/durability.int.test.ts",
  "event-store/append/group-commit.int.test.ts",
  "event-store/replicas/**",
  "services/fanout/watched-session/live-forgotten.int.test.ts",
  "services/testing/faults/servers-restarted.int.test.ts",
  "services/cli/commands/streams-replicas.int.test.ts",
  // Their runners keep both cores busy for long enough once.
  "services/testing/faults/{owners,race}.int.test.ts",
  // They make a damaged log of one copy themselves.
  "event-store/audit/{verify-log,transfer}.int.test.ts",
  // They use no log, or only to have something to answer: what they look at is HTTP, or other programs.
  "services/{client,gateway,git,identity,integrations,organization,proxies,sandboxes,secrets}/**",
  "services/configurations/*.int.test.ts",
  "services/actions/sources/catalogue.int.test.ts",
  "services/approvals/**",
  "services/fanout/event-streams.int.test.ts",
  "services/fanout/sockets/socket-server.int.test.ts",
  "services/sessions/prompt-routes.int.test.ts",
  "services/sessions/environment/**",
  // They look at Postgres; what feeds it is looked at in the projector's test.
  "projections/*.int.test.ts",
  "projections/activity/**",
  "projections/runtime/{killed,own-checkpoints,rebuild}.int.test.ts",
  // Sandboxes that are moved and put away: their owners' leases are looked at in the test of faults.
  "services/runner/{drain,migration}.int.test.ts",
  // The history is read as in the tests beside it; here it is the program around it.
  "services/cli/commands/audit/**",
];

export default defineConfig({
  root,
  resolve: {
    // What the `imports` of package.json say under the condition `proliferate-source`.
    alias: [
      {
        find: /^#(contracts|event-store|projections|services|sandbox|infra)\/(.*)$/,
        replacement: `${root}$1/$2.ts`,
      },
    ],
  },
  test: {
    exclude,
    globalSetup: ["infra/testing/global-setup.ts"],
    sequence: { sequencer: LongestFirst },
    // Two cores, and beside these the tests with agents: more at once only make each other late.
    maxWorkers: 2,
    projects: [
      {
        extends: true,
        test: {
          name: "unit",
          include: ["**/*.unit.test.ts"],
          exclude,
          // Pure: a file leaves nothing to the next, and loads the modules again for nothing.
          isolate: false,
          // Generous: a machine that is busy with others is slow, and not wrong.
          testTimeout: 60_000,
        },
      },
      {
        extends: true,
        test: {
          name: "int",
          include: ["**/*.int.test.ts"],
          exclude,
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
      {
        extends: true,
        test: {
          // Once more with three copies of the log: one copy answers some races differently.
          name: "int-r3",
          include: ["{event-store,projections,services}/**/*.int.test.ts"],
          exclude: [...exclude, ...onNoLogOrTheirOwn],
          globalSetup: ["infra/testing/cluster-setup.ts"],
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
      {
        extends: true,
        test: {
          name: "e2e",
          include: ["**/*.e2e.test.ts"],
          // Kills whole clusters under load, which two busy cores do not always answer in time: by request.
          exclude: process.env["CRASH_TESTS"]
            ? exclude
            : [...exclude, "event-store/cluster/{crash,partition}.e2e.test.ts"],
          testTimeout: 120_000,
          hookTimeout: 120_000,
          // Each starts an agent of 600 MB and is timed by a human's patience: one at a time.
          fileParallelism: false,
        },
      },
    ],
  },
});
