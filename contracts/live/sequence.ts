import { z } from "zod";

/** The `seq` of a frame as it stands in a URL or a header: decimal digits, a safe integer. */
export const seqText = z
  .string()
  .regex(/^\d{1,16}$/)
  .refine((digits) => Number.isSafeInteger(Number(digits)));
