/** Test support: the real provider, talking to an emulated Modal. */
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
      ...options,
    }),
  );
