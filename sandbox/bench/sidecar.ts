/** How much memory the sidecar takes, run from its bundle as in a sandbox. */
import { once } from "node:events";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import WebSocket from "ws";
import { bundledCommand } from "../agent/testing/bundled-command.ts";

export interface SidecarBench {
  /** MiB: resident after a hundred requests and with a terminal open. At most 80. */
  readonly sidecarRssMb: number;
  /** MiB: resident once it listens. */
  readonly sidecarIdleRssMb: number;
}

const token = "bench-token";
const paths = [
  "/api/services",
  "/api/files?path=.",
  "/api/files/content?path=large",
  "/api/git/repos",
  "/api/git/status",
];
const requests = 100;

export const benchSidecar = async (dataDir: string): Promise<SidecarBench> => {
  const workspace = join(dataDir, "workspace");
  await mkdir(workspace, { recursive: true });
  await writeFile(join(workspace, "large"), Buffer.alloc(1024 * 1024, "x"));
  const config = join(dataDir, "sidecar.json");
  await writeFile(config, JSON.stringify({ workspace, port: 0 }));
  const command = await bundledCommand();
  try {
    const env = { HOME: dataDir, PROLIFERATE_SANDBOX_TOKEN: token };
    const sidecar = await command.startSidecar(config, { cwd: workspace, env });
    const exit = once(sidecar.process, "exit");
    try {
      const sidecarIdleRssMb = await residentMb(sidecar.process.pid);
      const headers = { authorization: `Bearer ${token}` };
      for (let index = 0; index < requests; index += 1) {
        const path = paths[index % paths.length] ?? "";
        const response = await fetch(`http://127.0.0.1:${sidecar.port}${path}`, { headers });
        await response.arrayBuffer();
      }
      const terminal = new WebSocket(`ws://127.0.0.1:${sidecar.port}/api/terminal`, { headers });
      await once(terminal, "message"); // The prompt.
      const sidecarRssMb = await residentMb(sidecar.process.pid);
      terminal.terminate();
      return { sidecarRssMb, sidecarIdleRssMb };
    } finally {
      sidecar.process.kill("SIGTERM");
      await exit;
    }
  } finally {
    await command.remove();
  }
};

const residentMb = async (pid: number | undefined): Promise<number> => {
  const status = await readFile(`/proc/${pid}/status`, "utf8");
  const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1];
  if (kilobytes === undefined) throw new Error("The sidecar is not running.");
  return Math.round((Number(kilobytes) / 1024) * 10) / 10;
};
