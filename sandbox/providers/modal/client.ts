/** The SDK's client, with a limit on every call. */
import { ModalClient } from "modal";

export interface ModalCredentials {
  readonly tokenId: string;
  readonly tokenSecret: string;
  /** Modal's environment; the workspace's default without one. */
  readonly environment?: string | undefined;
}

/** By default the SDK waits for ever. A new sandbox may have to wait for a machine and its image. */
const callTimeoutMs = 5 * 60_000;

type Middleware = NonNullable<
  NonNullable<ConstructorParameters<typeof ModalClient>[0]>["grpcMiddleware"]
>[number];

const limitCalls: Middleware = async function* (call, options) {
  // An option of the SDK's own middleware below this one, which the type does not know of.
  const limited: typeof options & { timeoutMs: number } = { timeoutMs: callTimeoutMs, ...options };
  return yield* call.next(call.request, limited);
};

/** The address is the SDK's own affair (`MODAL_SERVER_URL`, Modal's by default). Opens no connection yet. */
export const openModalClient = ({
  tokenId,
  tokenSecret,
  environment,
}: ModalCredentials): ModalClient =>
  new ModalClient({
    tokenId,
    tokenSecret,
    ...(environment !== undefined && { environment }),
    grpcMiddleware: [limitCalls],
    logLevel: "error",
  });
