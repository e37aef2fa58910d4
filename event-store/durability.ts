/**
 * How much a commit survives once it is acknowledged. `syncInterval` is a setting of the server
 * (`jetstream { sync_interval }`), `replicas` of the streams. One copy syncs each message alone, so that
 * commits which come at once are better sent in groups; three copies share their syncs by themselves.
 *
 * - `replicated`: three copies, each synced; survives the loss of one node with its disk. Production.
 * - `fsync`: one copy, synced before the acknowledgement; survives a power cut. The embedded default.
 * - `relaxed`: one copy, synced every two minutes; survives the death of the server process, not of
 *   the machine. Tests.
 */
export const durabilities = {
  replicated: { replicas: 3, syncInterval: "always", groupsCommits: false },
  fsync: { replicas: 1, syncInterval: "always", groupsCommits: true },
  relaxed: { replicas: 1, syncInterval: "2m", groupsCommits: false },
} as const;

export type Durability = keyof typeof durabilities;
