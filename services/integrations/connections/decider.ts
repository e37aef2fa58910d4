/** Which vendors an organisation has connected. The state is plain JSON, because snapshots of it are stored. */
import { assertNever } from "#contracts/assert-never";
import type { IntegrationCommand } from "#contracts/integration/commands";
import type { IntegrationEvent, VendorId } from "#contracts/integration/events";
import type { Decider } from "#event-store/aggregates/decider";

export interface IntegrationState {
  /** A vendor that is not in it is not connected. */
  readonly connected: Readonly<Partial<Record<VendorId, { readonly baseUrl: string | null }>>>;
}

export const integrationDecider: Decider<IntegrationCommand, IntegrationEvent, IntegrationState> = {
  initialState: () => ({ connected: {} }),

  decide: (command, state) => {
    switch (command.type) {
      case "ConnectIntegration": {
        // Of the same vendor again too: somebody has given new credentials, which is to be seen.
        const { vendor, baseUrl } = command;
        return [{ type: "IntegrationConnected", data: { vendor, baseUrl } }];
      }
      case "DisconnectIntegration": {
        const { vendor } = command;
        if (!state.connected[vendor]) return [];
        return [{ type: "IntegrationDisconnected", data: { vendor } }];
      }
      default:
        return assertNever(command);
    }
  },

  evolve: (state, event) => {
    switch (event.type) {
      case "IntegrationConnected": {
        const { vendor, baseUrl } = event.data;
        return { connected: { ...state.connected, [vendor]: { baseUrl } } };
      }
      case "IntegrationDisconnected": {
        const { [event.data.vendor]: _gone, ...connected } = state.connected;
        return { connected };
      }
      default:
        return assertNever(event);
    }
  },
};
