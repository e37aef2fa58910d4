import { expect, test } from "vitest";
import { must, type Suite } from "./suite.ts";

export const describeLooking = ({ can, provider, newRef, boot }: Suite): void => {
  test.runIf(can.check)("looks at sandboxes without touching them", async () => {
    const absent = newRef();
    const { ref: first } = await boot();
    const { ref: second } = await boot();
    if (can.pause) await provider().pause(second);
    const check = must(provider().checkSandboxes);
    const states = async () => (await check([second, absent, first])).map(({ state }) => state);
    const expected = [can.pause ? "paused" : "running", "gone", "running"];
    expect(await states()).toEqual(expected);
    const all = await check();
    const listed = all.filter(({ sessionId }) =>
      [first.sessionId, second.sessionId, absent.sessionId].includes(sessionId),
    );
    expect(listed.map(({ sandboxId }) => sandboxId).sort()).toEqual(
      [first.sandboxId, second.sandboxId].sort(),
    );
    await provider().health(second);
    expect(await states()).toEqual(expected);
  });
};
