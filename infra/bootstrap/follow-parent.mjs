// Loaded into each program that the bootstrap runs. The channel to the bootstrap closes when that
// dies, however it dies; the program then stops in the way it would on SIGTERM.
import process from "node:process";

if (process.channel !== undefined) {
  process.once("disconnect", () => process.kill(process.pid, "SIGTERM"));
  process.channel.unref();
}
