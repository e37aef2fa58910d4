import type { UserId } from "../ids.ts";
import type { ServiceScope } from "../identity/service-scope.ts";

export type ServiceTokenCommand =
  | {
      readonly type: "IssueServiceToken";
      readonly userId: UserId;
      readonly name: string;
      readonly scopes: readonly ServiceScope[];
      /** ISO instant. */
      readonly expiresAt: string;
    }
  | { readonly type: "RevokeServiceToken" };
