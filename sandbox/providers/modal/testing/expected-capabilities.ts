/** Test support: what the provider can do, at the emulated Modal and the real one alike. */
export const expectedCapabilities = {
  pause: false,
  autoPause: false,
  snapshotPauses: false,
  memorySnapshot: true,
  snapshotCatalogue: false,
  snapshotRemoval: true,
  check: true,
  tunnels: true,
  readFiles: true,
  exec: true,
  terminalSandbox: true,
  serviceCommandTest: true,
} as const;
