/**
 * @typedef {object} Program
 * @property {string} file TypeScript or JavaScript, relative to the package
 * @property {string[]} [args] come before the user's
 * @property {string[]} [nodeOptions] for Node itself
 *
 * @typedef {object} Command
 * @property {Program} program
 * @property {Program[]} [before] run first, one after the other; the first failure ends the command
 * @property {boolean} [dashboard] whether the dashboard must be built for it
 */

/** What `npm run` can start. @type {Record<string, Command>} */
export const commands = {
  demo: { program: { file: "services/demo/main.ts" }, dashboard: true },
  start: {
    // See infra/process/server-node-options.ts.
    program: { file: "services/main.ts", nodeOptions: ["--min-semi-space-size=16"] },
    dashboard: true,
  },
  cli: { program: { file: "services/cli/main.ts" } },
  bench: { program: { file: "infra/bench/main.ts" } },
  test: {
    before: [{ file: "infra/testing/prepare.ts" }],
    program: { file: "node_modules/vitest/vitest.mjs", args: ["run"] },
    dashboard: true,
  },
  check: { program: { file: "infra/check/main.ts" } },
  build: { program: { file: "infra/build.ts" } },
};
