/** The settings of the sandbox provider `modal`. */
import { z } from "zod";
import type { ProviderSettings } from "#sandbox/providers/create-provider";

const day = 24 * 3600;

export const modalVariables = {
  /** A token of the Modal workspace: `ak-…` and `as-…`. */
  MODAL_TOKEN_ID: z.string().min(1).optional(),
  MODAL_TOKEN_SECRET: z.string().min(1).optional(),
  /** Modal's environment; the workspace's default without one. */
  MODAL_ENVIRONMENT: z.string().min(1).optional(),
  /** The deployed app (`infra/modal`); a suffix keeps several developers apart. */
  MODAL_APP_NAME: z.string().min(1).default("proliferate-sandbox"),
  MODAL_APP_SUFFIX: z.string().min(1).optional(),
  /** `im-…`: what new sandboxes start from, in place of the deployed image. */
  MODAL_BASE_SNAPSHOT_ID: z.string().startsWith("im-").optional(),
  /** After this time a provider in the cloud ends a sandbox; a snapshot outlives it. */
  SANDBOX_TIMEOUT_SECONDS: z.coerce.number().int().min(60).max(day).default(3600),
} as const;

type ModalConfig = z.infer<z.ZodObject<typeof modalVariables>>;

/** Nothing without a token: the provider then says that it has no settings, if it is asked for. */
export const modalSettings = (config: ModalConfig): ProviderSettings => {
  const { MODAL_TOKEN_ID: tokenId, MODAL_TOKEN_SECRET: tokenSecret } = config;
  if (tokenId === undefined || tokenSecret === undefined) return {};
  const appName = [config.MODAL_APP_NAME, config.MODAL_APP_SUFFIX].filter(Boolean).join("-");
  return {
    modal: {
      credentials: { tokenId, tokenSecret, environment: config.MODAL_ENVIRONMENT },
      appName,
      baseSnapshotId: config.MODAL_BASE_SNAPSHOT_ID ?? null,
      lifetimeMs: config.SANDBOX_TIMEOUT_SECONDS * 1_000,
    },
  };
};
