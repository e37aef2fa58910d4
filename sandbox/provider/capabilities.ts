/** What a provider can do beyond the minimum. Callers branch on these flags, never on a provider's name. */

export interface SandboxCapabilities {
  /** `pause` keeps the files, and `ensureSandbox` goes on with them. Without it `pause` always fails. */
  readonly pause: boolean;
  /** The provider pauses a sandbox by itself when its time is up, instead of ending it. */
  readonly autoPause: boolean;
  /** Processes survive a snapshot, not only files. */
  readonly memorySnapshot: boolean;
  /** Snapshots can be listed. */
  readonly snapshotCatalogue: boolean;
  /** A snapshot can be removed by its id. */
  readonly snapshotRemoval: boolean;
  /** A snapshot cannot be removed while a sandbox that began with it is there, running or paused. */
  readonly snapshotHeld: boolean;
  /** What the agent runs cannot see the rest of the machine it runs on. */
  readonly isolated: boolean;
  readonly check: boolean;
  readonly tunnels: boolean;
  readonly readFiles: boolean;
  readonly exec: boolean;
  readonly terminalSandbox: boolean;
  readonly serviceCommandTest: boolean;
}
