import { z } from "zod";
import type { Workspace } from "../../workspace/confinement.ts";
import { listFolder, maxFileBytes, readFileInside } from "../../workspace/read-files.ts";
import { json, parse, type Route } from "../api.ts";

const listSchema = z.object({ path: z.string().default(".") });

const contentSchema = z.object({
  path: z.string().min(1),
  offset: z.coerce.number().int().nonnegative().optional(),
  limit: z.coerce.number().int().positive().max(maxFileBytes).optional(),
});

export const fileRoutes = (workspace: Workspace): readonly Route[] => [
  {
    method: "GET",
    pattern: "/api/files",
    handle: async ({ query }) => json(await listFolder(workspace, parse(listSchema, query).path)),
  },
  {
    method: "GET",
    pattern: "/api/files/content",
    handle: async ({ query }) => {
      const { path, offset, limit } = parse(contentSchema, query);
      const isSlice = offset !== undefined || limit !== undefined;
      const slice = isSlice ? { offset: offset ?? 0, limit: limit ?? maxFileBytes } : null;
      const { bytes, size } = await readFileInside(workspace, path, slice);
      return {
        kind: "bytes",
        bytes,
        headers: {
          // Whatever it is, no browser is to run it as a page of ours.
          "content-type": "application/octet-stream",
          "content-disposition": "attachment",
          "content-length": String(bytes.length),
          "x-file-size": String(size),
        },
      };
    },
  },
];
