/** How requests for snapshots are named that come by the live channel: the agent's are named after its tool calls. */

const prefix = "live:";

/** @param requestId of the channel's request */
export const snapshotRequestOf = (requestId: string): string => `${prefix}${requestId}`;

/** The name under which those who watch know a request. */
export const nameOfRequest = (snapshotRequest: string): string =>
  snapshotRequest.startsWith(prefix) ? snapshotRequest.slice(prefix.length) : snapshotRequest;
