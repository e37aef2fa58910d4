/** Test support: what the provider can do, at the emulated Modal and the real one alike. */
export const expectedCapabilities = {
  pause: false,
  autoPause: false,
  memorySnapshot: true,
  snapshotCatalogue: false,
  snapshotRemoval: true,
  snapshotHeld: false,
  check: true,
  tunnels: true,
  readFiles: true,
  exec: true,
  terminalSandbox: true,
  serviceCommandTest: true,
} as const;
