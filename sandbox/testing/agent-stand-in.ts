/**
 * Stands in for `opencode serve` where a test is about sandboxes and not about agents: an executable that
 * takes the same arguments and the same password, answers the health endpoint, and starts in 50 ms. It
 * knows no sessions and no prompts.
 */
import { chmod, mkdir, writeFile } from "node:fs/promises";
import path from "node:path";

const source = `
import { createServer } from "node:http";
const argument = (name) => process.argv[process.argv.indexOf(name) + 1];
const credential = Buffer.from("opencode:" + process.env.OPENCODE_SERVER_PASSWORD).toString("base64");
const routes = { "GET /global/health": { healthy: true }, "POST /global/dispose": true };
createServer((request, response) => {
  request.resume();
  const answer = routes[request.method + " " + request.url];
  const allowed = request.headers.authorization === "Basic " + credential;
  response.writeHead(allowed ? (answer === undefined ? 404 : 200) : 401, {
    "content-type": "application/json",
  });
  response.end(JSON.stringify(allowed ? (answer ?? null) : null));
}).listen(Number(argument("--port")), argument("--hostname"), () => console.log("listening"));
`;

/** @returns the path of the executable, `opencode` in the given folder */
export const makeAgentStandIn = async (folder: string): Promise<string> => {
  await mkdir(folder, { recursive: true });
  const program = path.join(folder, "opencode.mjs");
  await writeFile(program, source);
  const command = path.join(folder, "opencode");
  await writeFile(command, `#!/bin/sh\nexec "${process.execPath}" "${program}" "$@"\n`);
  await chmod(command, 0o755);
  return command;
};
