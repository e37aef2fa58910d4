import { z } from "zod";
import { autoDeleteDaysSchema, autoDeleteDefaultSchema } from "../organization/view.ts";
import { acceptedSchema } from "./common.ts";
import { defineRoute } from "./route.ts";

const path = "/v1/organization/auto-delete";

export const getAutoDeleteDefault = defineRoute({
  method: "GET",
  path,
  audience: "user",
  summary: "After how many days without use sessions are deleted that have no rule of their own",
  responses: { 200: autoDeleteDefaultSchema },
});

export const setAutoDeleteDefault = defineRoute({
  method: "PUT",
  path,
  audience: "approver",
  summary:
    "Delete and erase the organisation's sessions after so many days without use; null for never",
  body: z.object({ days: autoDeleteDaysSchema }),
  responses: { 202: acceptedSchema },
});

export const clearAutoDeleteDefault = defineRoute({
  method: "DELETE",
  path,
  audience: "approver",
  summary: "Take the organisation's own rule back and follow the deployment's",
  responses: { 202: acceptedSchema },
});
