// The door to every npm command of this repository. It uses Node's own modules only, because it runs
// before anything is installed, and no recent syntax, so that an old Node gets as far as the check.
import process from "node:process";

const required = [20, 19];
const found = process.versions.node.split(".").map(Number);

if (found[0] < required[0] || (found[0] === required[0] && found[1] < required[1])) {
  process.stderr.write(
    "This needs Node " + required.join(".") + " or newer; this is " + process.version + ".\n",
  );
  process.exitCode = 1;
} else {
  import("./main.mjs")
    .then((module) => module.main(process.argv.slice(2)))
    .then(
      (code) => {
        process.exitCode = code;
      },
      (error) => {
        process.stderr.write(error.message + "\n");
        process.exitCode = 1;
      },
    );
}
