import type { Id } from "../ids.ts";
import type { ConnectorTarget } from "./events.ts";

interface Settings {
  readonly target: ConnectorTarget;
  readonly credentials: Id<"credentials"> | null;
}

export type ConnectorCommand =
  | ({
      readonly type: "CreateConnector";
      readonly connector: string;
      readonly name: string;
    } & Settings)
  | {
      readonly type: "ChangeConnector";
      readonly connector: string;
      /** Null leaves the name as it is. */
      readonly name: string | null;
      /** From which settings to which others; null leaves them as they are. */
      readonly settings: { readonly from: Settings; readonly to: Settings } | null;
    }
  | {
      readonly type: "AuthorizeConnector";
      readonly connector: string;
      /** Those that the authorization is for. */
      readonly credentials: Id<"credentials">;
    }
  | { readonly type: "RemoveConnector"; readonly connector: string };
