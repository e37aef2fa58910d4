import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { listOrganizationActions } from "#contracts/http/actions";
import {
  authorizeConnector,
  changeConnector,
  createConnector,
  finishAuthorization,
  listConnectors,
  removeConnector,
  type ReturnedAuthorization,
  testConnector,
} from "#contracts/http/connectors";
import {
  connectIntegration,
  disconnectIntegration,
  listIntegrations,
  testIntegration,
} from "#contracts/http/integrations";
import type { VendorId } from "#contracts/integration/events";
import type { CallInput } from "#services/client/call";
import { useApi } from "../app/api.ts";
import { availableKey } from "./available-key.ts";
import { type Connection, connectionsOf } from "./connection.ts";

const connectionsKey = ["connections"] as const;

export type NewConnector = NonNullable<CallInput<typeof createConnector>["body"]>;
export type ConnectorChange = NonNullable<CallInput<typeof changeConnector>["body"]>;

export interface Connections {
  /** Undefined as long as the lists are loading. */
  readonly connections: readonly Connection[] | undefined;
  /** What can be connected and is not. */
  readonly vendors: readonly { readonly id: VendorId; readonly name: string }[];
  readonly error: Error | null;
  /** Whether the integrations are being asked what they offer, which may take seconds. */
  readonly asking: boolean;
  readonly reload: () => void;
}

/** Everything that agents act through: at once what is set up, and later what each of them offers. */
export const useConnections = (): Connections => {
  const api = useApi();
  const setUp = useQuery({
    queryKey: connectionsKey,
    queryFn: async ({ signal }) => {
      const [{ connectors }, { integrations }] = await Promise.all([
        api.call(listConnectors, { signal }),
        api.call(listIntegrations, { signal }),
      ]);
      return { connectors, vendors: integrations };
    },
  });
  const available = useQuery({
    queryKey: availableKey,
    queryFn: async ({ signal }) =>
      (await api.call(listOrganizationActions, { signal })).integrations,
  });
  return {
    connections: setUp.data && connectionsOf({ ...setUp.data, available: available.data ?? null }),
    vendors: (setUp.data?.vendors ?? [])
      .filter(({ connected }) => !connected)
      .map(({ vendor: id, name }) => ({ id, name })),
    error: setUp.error ?? available.error,
    asking: available.isFetching,
    reload: () => void Promise.all([setUp.refetch(), available.refetch()]),
  };
};

/** What a change of the connections has made old. It is read again before the change counts as done. */
const useSettled = () => {
  const queryClient = useQueryClient();
  return () => {
    // Asking all integrations takes seconds: nobody has to wait for that.
    void queryClient.invalidateQueries({ queryKey: availableKey });
    return queryClient.invalidateQueries({ queryKey: connectionsKey });
  };
};

export const useCreateConnector = () => {
  const api = useApi();
  const onSettled = useSettled();
  return useMutation({
    mutationFn: (body: NewConnector) => api.call(createConnector, { body }),
    onSettled,
  });
};

export const useChangeConnector = (connector: string) => {
  const api = useApi();
  const onSettled = useSettled();
  return useMutation({
    mutationFn: (body: ConnectorChange) =>
      api.call(changeConnector, { params: { connector }, body }),
    onSettled,
  });
};

export const useTestConnector = (connector: string) => {
  const api = useApi();
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: () => api.call(testConnector, { params: { connector } }),
    onSuccess: () => void queryClient.invalidateQueries({ queryKey: availableKey }),
  });
};

export const useTestVendor = (vendor: VendorId) => {
  const api = useApi();
  return useMutation({ mutationFn: () => api.call(testIntegration, { params: { vendor } }) });
};

/** Leaves for the authorization server. The gateway answers no other address than one of the web. */
export const useAuthorizeConnector = (connector: string) => {
  const api = useApi();
  return useMutation({
    mutationFn: () => api.call(authorizeConnector, { params: { connector } }),
    onSuccess: ({ authorizationUrl }) => window.location.assign(authorizationUrl),
  });
};

/** Ends an authorization, once: what came back is good for one time. Null asks nothing. */
export const useFinishAuthorization = (returned: ReturnedAuthorization | null) => {
  const api = useApi();
  const queryClient = useQueryClient();
  return useQuery({
    queryKey: ["authorization", returned],
    queryFn: async () => {
      const { connector } = await api.call(finishAuthorization, {
        query: returned ?? { state: "" },
      });
      void queryClient.invalidateQueries({ queryKey: availableKey });
      void queryClient.invalidateQueries({ queryKey: connectionsKey });
      return connector;
    },
    enabled: returned !== null,
    staleTime: Infinity,
    retry: false,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  });
};

/** @param onConnected called before the lists are read again, which may take the form away */
export const useConnectVendor = (onConnected: (vendor: VendorId) => void) => {
  const api = useApi();
  const onSettled = useSettled();
  return useMutation({
    mutationFn: ({
      vendor,
      ...body
    }: {
      vendor: VendorId;
      token: string;
      baseUrl: string | null;
    }) => api.call(connectIntegration, { params: { vendor }, body }),
    onSuccess: (_, { vendor }) => onConnected(vendor),
    onSettled,
  });
};

/** Takes a connection away, with its credentials. @param onRemoved as `onConnected` above */
export const useRemoveConnection = (connection: Connection, onRemoved: () => void) => {
  const api = useApi();
  const onSettled = useSettled();
  return useMutation({
    mutationFn: async () => {
      if (connection.kind === "connector") {
        await api.call(removeConnector, { params: { connector: connection.id } });
      }
      if (connection.kind === "vendor") {
        await api.call(disconnectIntegration, { params: { vendor: connection.vendor.vendor } });
      }
    },
    onSuccess: onRemoved,
    onSettled,
  });
};
