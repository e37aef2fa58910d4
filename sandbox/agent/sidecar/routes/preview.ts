import { z } from "zod";
import { DomainError } from "#contracts/errors";
import type { Preview } from "../../preview/preview.ts";
import { json, parse, type Route } from "../api.ts";

/** Null: the usual ports again. */
const exposeSchema = z.strictObject({ port: z.int().min(1).max(65_535).nullable() });

export const previewRoutes = (preview: Preview | null): readonly Route[] => [
  {
    method: "POST",
    pattern: "/api/expose",
    handle: async ({ body }) => {
      const { port } = parse(exposeSchema, body);
      if (preview === null) {
        throw new DomainError("preview_unavailable", "This sandbox has no preview.");
      }
      return json({ port, applied: await preview.expose(port) });
    },
  },
];
