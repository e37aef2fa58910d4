/** What both services of the emulator share. */
import type { Images, MemorySnapshot } from "./images.ts";
import type { EmulatedSandbox, Sandboxes } from "./sandboxes.ts";
import { newToken, type Credentials } from "./tokens.ts";

export interface ServiceState {
  readonly credentials: Credentials;
  /** The deployed app, and the address that its web function has. */
  readonly app: { readonly name: string; readonly id: string; readonly imageUrl: string | null };
  readonly images: Images;
  readonly sandboxes: Sandboxes;
  readonly memorySnapshots: Map<string, MemorySnapshot>;
  /** What the router of a task asks for. */
  readonly routerTokens: Map<string, string>;
  /** Where clients reach this server. */
  address(): string;
}

export const routerAccess = (state: ServiceState, { taskId }: EmulatedSandbox) => {
  const jwt = state.routerTokens.get(taskId) ?? newToken();
  state.routerTokens.set(taskId, jwt);
  // The SDK insists on https, and then speaks plain text to a server on the loopback interface.
  return { url: `https://${state.address()}`, jwt };
};
