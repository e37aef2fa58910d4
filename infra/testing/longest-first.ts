import { relative } from "node:path";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/**
 * Seconds that the long test files take on two quiet cores. Only their order matters: Vitest knows no times in
 * a fresh clone, takes a file's size for them, and would end with one long file alone.
 */
export const longFiles: Readonly<Record<string, number>> = {
  "services/runner/takeover.e2e.test.ts": 110,
  "services/testing/faults/owners.int.test.ts": 100,
  "sandbox/providers/local/cycles.int.test.ts": 90,
  "services/runner/faults.int.test.ts": 80,
  "services/dashboard/dashboard.e2e.test.ts": 70,
  "sandbox/providers/e2b/provider.int.test.ts": 70,
  "services/runner/migration.int.test.ts": 65,
  "sandbox/providers/modal/provider.int.test.ts": 50,
  "sandbox/providers/modal/contract.int.test.ts": 45,
  "services/demo/demo.e2e.test.ts": 45,
  "projections/runtime/killed.int.test.ts": 42,
  "sandbox/providers/e2b/contract.int.test.ts": 40,
  "sandbox/providers/local/fenced.int.test.ts": 34,
  "event-store/leases/leases.int.test.ts": 30,
  "services/testing/faults/servers-restarted.int.test.ts": 26,
  "services/cli/commands/audit/audit.int.test.ts": 25,
  "services/testing/faults/race.int.test.ts": 24,
  "event-store/append/group-commit.int.test.ts": 24,
  "services/runner/drain.int.test.ts": 20,
  "event-store/leases/leases-restart.int.test.ts": 19,
  "sandbox/testing/silent-end.int.test.ts": 18,
  "services/erasure/erase-text.int.test.ts": 18,
  "sandbox/providers/local/contract.int.test.ts": 18,
  "sandbox/boot/additional/sidecar.int.test.ts": 17,
  "event-store/append/append.int.test.ts": 17,
  "event-store/timers/timers.int.test.ts": 16,
  "event-store/timers/timers-restart.int.test.ts": 16,
  "services/fanout/sockets/socket-server.int.test.ts": 16,
};

/** Begins with the longest files, of whatever project; the others follow as Vitest has them. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const secondsOf = ({ moduleId }: TestSpecification): number =>
      longFiles[relative(this.ctx.config.root, moduleId)] ?? 0;
    const sorted = await super.sort(files);
    return sorted.sort((one, other) => secondsOf(other) - secondsOf(one));
  }
}
