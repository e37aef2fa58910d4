/** Linear's own typed operations over this program's way out: the SDK's client would use the global one. */
import { LinearSdk } from "@linear/sdk";
import { z } from "zod";
import { refusalOf, unanswered } from "../vendor/vendor-failure.ts";
import type { VendorCall } from "../vendor/vendor.ts";

/** An answer of GraphQL (September 2025 edition, section 7), with Linear's own extensions. */
const answerSchema = z.object({
  data: z.record(z.string(), z.unknown()).nullish(),
  errors: z
    .array(
      z.object({
        message: z.string().default(""),
        extensions: z
          .object({ code: z.string().optional(), userPresentableMessage: z.string().optional() })
          .optional(),
      }),
    )
    .optional(),
});

/** Which status stands for Linear's error codes; see linear.app/developers/graphql#errors. */
const statusOf: Readonly<Record<string, number>> = {
  AUTHENTICATION_ERROR: 401,
  FORBIDDEN: 403,
  RATELIMITED: 429,
  INTERNAL_SERVER_ERROR: 500,
};

/** @param reads whether the operations change nothing */
export const linearOf = (
  { token, baseUrl, fetch }: VendorCall,
  { reads }: { readonly reads: boolean },
): LinearSdk => {
  const exchange = { vendor: "Linear", reads };
  return new LinearSdk(async <Answer>(document: string, variables?: Record<string, unknown>) => {
    const response = await fetch(`${baseUrl}/graphql`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: authorizationOf(token) },
      body: JSON.stringify({ query: document, variables }),
    });
    const parsed = answerSchema.safeParse(await response.json().catch(() => null));
    if (!parsed.success) throw unanswered(exchange, parsed.error);
    const [error] = parsed.data.errors ?? [];
    if (error) {
      const { code = "", userPresentableMessage } = error.extensions ?? {};
      throw refusalOf(exchange, {
        status: statusOf[code] ?? 400,
        retryAfterSeconds: null,
        detail: userPresentableMessage ?? error.message,
      });
    }
    if (!parsed.data.data) throw unanswered(exchange, new Error("An answer without data."));
    return parsed.data.data as Answer;
  });
};

/** Linear wants its personal keys bare, and access tokens as a bearer's. */
const authorizationOf = (token: string): string =>
  token.startsWith("lin_api_") ? token : `Bearer ${token}`;
