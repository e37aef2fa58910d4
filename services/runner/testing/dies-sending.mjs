/**
 * Test aid, loaded before a program: it is killed, as by SIGKILL, in place of sending anything that contains the
 * text of `DIES_SENDING`. What it has sent by then arrives.
 */
import { Socket } from "node:net";

const { write } = Socket.prototype;
Socket.prototype.write = function (data, ...rest) {
  if (Buffer.from(data).includes(process.env.DIES_SENDING)) {
    process.kill(process.pid, "SIGKILL");
    return false;
  }
  return write.call(this, data, ...rest);
};
