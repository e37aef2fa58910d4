import { Notice } from "../ui/notice.tsx";
import type { EnvRequest } from "./session-state.ts";

/** The environment variables that the agent has asked for. */
export const EnvRequests = ({ requests }: { readonly requests: readonly EnvRequest[] }) =>
  requests.map(({ requestId, keys }) => (
    <Notice key={requestId} tone="warning">
      The agent asks for{" "}
      {keys.map(({ key, description }, index) => (
        <span key={key} title={description}>
          {index > 0 && ", "}
          <code>{key}</code>
        </span>
      ))}
      .
    </Notice>
  ));
