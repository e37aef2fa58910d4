/**
 * For those who have a snapshot and the name of the provider that took it, but no provider: whether the
 * provider has the capability `snapshotHeld`. The contract's tests compare the two.
 */
const holders: ReadonlySet<string> = new Set(["e2b"]);

export const holdsSnapshots = (providerType: string): boolean => holders.has(providerType);
