/**
 * Test aid, loaded before a program: at SIGUSR2 it falls asleep as a suspended machine does, until SIGCONT. The
 * monotonic clock sleeps with it, and timers that are set by then do not fire, as if none of them were due yet.
 */
const { setTimeout } = globalThis;
const now = performance.now.bind(performance);
let slept = 0;
let sleeps = 0;
performance.now = () => now() - slept;
globalThis.setTimeout = (callback, ms, ...given) => {
  const before = sleeps;
  return setTimeout(
    (...args) => {
      if (sleeps === before) callback(...args);
    },
    ms,
    ...given,
  );
};
process.on("SIGUSR2", () => {
  const at = now();
  sleeps += 1;
  process.kill(process.pid, "SIGSTOP");
  slept += now() - at;
});
