import { readFile } from "node:fs/promises";
import { expect, it } from "vitest";
import { serverNodeOptions } from "./server-node-options.ts";

const packageRoot = new URL("../../", import.meta.url);

it("are those that the program is started with, here and in its image", async () => {
  const { commands } = (await import(
    new URL("infra/bootstrap/commands.mjs", packageRoot).href
  )) as {
    readonly commands: { readonly start: { readonly program: { readonly nodeOptions: unknown } } };
  };
  expect(commands.start.program.nodeOptions).toEqual(serverNodeOptions);
  const compose = await readFile(new URL("docker-compose.yml", packageRoot), "utf8");
  const command = JSON.stringify(["node", ...serverNodeOptions, "dist/services/main.js"]);
  expect(compose).toContain(`CMD ${command.replaceAll(",", ", ")}\n`);
});
