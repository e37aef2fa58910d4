import { once } from "node:events";
import { finished } from "node:stream/promises";
import type { Sql } from "postgres";
import { auditProjection } from "../audit/projection.ts";
import { prepareReadModels } from "../runtime/prepare.ts";
import { type Cost, costOf } from "./cpu.ts";

/**
 * What it takes to copy the rows of the audit read model, as text that is
 * ready in memory, into an empty copy of its table with the same indexes.
 */
export const copyFloor = async (openFull: () => Sql, openEmpty: () => Sql): Promise<Cost> => {
  const [full, empty] = [openFull(), openEmpty()];
  try {
    const chunks: Buffer[] = [];
    for await (const chunk of await full`copy audit to stdout`.readable()) {
      chunks.push(chunk as Buffer);
    }
    await prepareReadModels(empty, [auditProjection]);
    return await costOf(empty, async () => {
      const copying = await empty`copy audit from stdin`.writable();
      for (const chunk of chunks) if (!copying.write(chunk)) await once(copying, "drain");
      copying.end();
      await finished(copying);
    });
  } finally {
    await Promise.all([full.end({ timeout: 5 }), empty.end({ timeout: 5 })]);
  }
};
