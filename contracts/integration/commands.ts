import type { VendorId } from "./events.ts";

export type IntegrationCommand =
  | {
      readonly type: "ConnectIntegration";
      readonly vendor: VendorId;
      readonly baseUrl: string | null;
    }
  | { readonly type: "DisconnectIntegration"; readonly vendor: VendorId };
