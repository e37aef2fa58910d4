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
  | ({ readonly type: "ChangeConnector"; readonly connector: string } & Settings)
  | { readonly type: "RenameConnector"; readonly connector: string; readonly name: string }
  | {
      readonly type: "AuthorizeConnector";
      readonly connector: string;
      /** Those that the authorization is for. */
      readonly credentials: Id<"credentials">;
    }
  | { readonly type: "RemoveConnector"; readonly connector: string };
