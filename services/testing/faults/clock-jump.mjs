/**
 * Test aid, loaded before a program: its wall clock jumps by `CLOCK_JUMP_MS` when it gets SIGUSR2, as if
 * somebody had set the machine's clock. The monotonic clock goes on as it did, as it does then.
 */
const RealDate = Date;
let offset = 0;
process.on("SIGUSR2", () => {
  offset += Number(process.env.CLOCK_JUMP_MS);
});
globalThis.Date = class extends RealDate {
  constructor(...given) {
    super(...(given.length > 0 ? given : [RealDate.now() + offset]));
  }
  static now() {
    return RealDate.now() + offset;
  }
};
