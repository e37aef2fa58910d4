/** Test support: the real provider, talking to an emulated Modal. */
import getPort from "get-port";
import { standardPorts } from "../../../boot/machine.ts";
import type { ModalEmulator } from "../../../testing/modal-emulator/index.ts";
import { openModalProvider, type ModalProviderOptions } from "../provider.ts";

export const providerOn = (
  emulator: ModalEmulator,
  options: Partial<ModalProviderOptions> = {},
): ReturnType<typeof openModalProvider> =>
  emulator.asServer(() =>
    openModalProvider({
      credentials: emulator.credentials,
      appName: emulator.appName,
      baseSnapshotId: null,
      lifetimeMs: 3_600_000,
      // The emulated sandboxes have tunnels of their own for the other two.
      choosePorts: async () => ({
        ...standardPorts,
        sidecar: await getPort({ host: "127.0.0.1" }),
      }),
      ...options,
    }),
  );
