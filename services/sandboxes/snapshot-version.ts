/** What a base snapshot has baked in, in the state of this source tree. */
import { readFile } from "node:fs/promises";
import { bundleCli } from "#sandbox/agent/bundle-cli";
import { opencodeEnvironment } from "#sandbox/opencode/config";
import { versionKey } from "#sandbox/providers/modal/version-key";

const imageFiles = ["Dockerfile", "image-versions.json"];

/**
 * 64 hex digits. A base snapshot that was built under another key is out of date.
 * @param folder of the image's files; `infra/modal` of this source tree by default
 */
export const snapshotVersion = async (
  folder = new URL("../../infra/modal/", import.meta.url),
): Promise<string> => {
  const parts: Record<string, string | Uint8Array> = { "proliferate.mjs": await bundleCli() };
  for (const file of imageFiles) parts[file] = await readFile(new URL(file, folder));
  const fixed = { model: "", smallModel: "", baseUrl: null, apiKey: "" };
  const agent = opencodeEnvironment({
    model: fixed,
    instructionsPath: "",
    password: "",
    browser: true,
  });
  parts["opencode"] = JSON.stringify(agent);
  return versionKey(parts);
};
