/** What the integrations offer, with its modes: old as soon as the policy or a connection has changed. */
export const availableKey = ["available"] as const;
