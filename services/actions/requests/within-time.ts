/** Bounds for work on the event loop that somebody else's data decide on. */
import { createContext, Script } from "node:vm";

const box: { work: () => unknown } = { work: () => undefined };
const context = createContext(box);
const call = new Script("work()");

/**
 * Does the work, which is synchronous, and interrupts it wherever it is when it takes longer: also within a
 * regular expression that backtracks for ever. Nothing else runs in the meantime.
 *
 * @throws Error with the code `ERR_SCRIPT_EXECUTION_TIMEOUT`; whatever the work throws
 */
export const withinTime = <T>(timeoutMs: number, work: () => T): T => {
  box.work = work;
  try {
    return call.runInContext(context, { timeout: timeoutMs }) as T;
  } finally {
    box.work = () => undefined;
  }
};
