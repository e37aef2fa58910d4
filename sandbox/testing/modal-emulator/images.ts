/** Images: saved folders. The base image has the programs that the deploy script would bake in. */
import { randomBytes } from "node:crypto";
import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { ServerError, Status } from "nice-grpc";
import { copyFolder, homeOf, type Container } from "./container.ts";
import type { SandboxDefinition, SandboxTag } from "./messages.ts";
import type { ProcessImage } from "./process-image.ts";

export interface MemorySnapshot {
  readonly imageId: string;
  readonly processes: readonly ProcessImage[];
  readonly container: Pick<Container, "root" | "ports">;
  readonly definition: SandboxDefinition;
  readonly appId: string;
  readonly tags: readonly SandboxTag[];
  readonly env: Readonly<Record<string, string>>;
}

export interface Images {
  readonly baseImageId: string;
  /** @throws ServerError NOT_FOUND */
  folderOf(imageId: string): string;
  /** The copy of a container's folder. */
  save(container: Container): Promise<string>;
  /** As if its time to live were over. */
  forget(imageId: string): void;
}

export const openImages = async (
  folder: string,
  programs: Readonly<Record<string, string>>,
): Promise<Images> => {
  const known = new Set<string>();
  const newId = (): string => {
    const id = `im-${randomBytes(11).toString("hex")}`;
    known.add(id);
    return id;
  };
  const baseImageId = newId();
  const base = path.join(folder, baseImageId);
  for (const part of [homeOf(base), path.join(base, "tmp"), path.join(base, "bin")]) {
    await mkdir(part, { recursive: true });
  }
  for (const [name, program] of Object.entries(programs)) {
    await writeFile(path.join(base, "bin", name), wrapper(program), { mode: 0o755 });
  }
  return {
    baseImageId,
    folderOf: (imageId) => {
      if (!known.has(imageId))
        throw new ServerError(Status.NOT_FOUND, `Image ${imageId} not found.`);
      return path.join(folder, imageId);
    },
    save: async (container) => {
      const id = newId();
      await copyFolder(container.root, path.join(folder, id));
      return id;
    },
    forget: (imageId) => known.delete(imageId),
  };
};

/**
 * In a container every server has its usual port and listens on all interfaces. Here the sandboxes share
 * one network, so the program gets the loopback port that stands for it.
 */
const wrapper = (program: string): string => `#!/bin/sh
for argument do
  shift
  case "$argument" in
    4096) argument="\${EMULATED_PORT_4096:-4096}" ;;
    20000) argument="\${EMULATED_PORT_20000:-20000}" ;;
    0.0.0.0) argument=127.0.0.1 ;;
  esac
  set -- "$@" "$argument"
done
exec '${program}' "$@"
`;
