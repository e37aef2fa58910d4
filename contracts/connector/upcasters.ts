/** How older shapes of a connector's events read today. */
import type { Upcaster } from "../read-event.ts";

/** Whatever was changed, a person had to authorize it again, where that was needed at all. */
const connectorChanged1: Upcaster = (data) => ({
  ...data,
  authorized: (data["target"] as { readonly auth?: unknown }).auth !== "oauth",
});

export const connectorUpcasters: Readonly<Record<string, Upcaster>> = {
  "ConnectorChanged:1": connectorChanged1,
};
