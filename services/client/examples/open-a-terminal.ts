/** Opens a terminal in a session's sandbox, through the gateway. */
import { createClient, openProxy, type SessionId } from "proliferate/client";

/**
 * @returns a WebSocket whose text frames are keystrokes one way and output the other; a paused session is
 * resumed first, so it may open late
 */
export const openTerminal = async (
  { baseUrl, accessToken }: { readonly baseUrl: string; readonly accessToken: string },
  sessionId: SessionId,
): Promise<WebSocket> => {
  const client = createClient({ baseUrl, accessToken });
  const { path } = await client.call(openProxy, {
    params: { sessionId },
    body: { target: "sidecar", access: "write" },
  });
  const url = new URL(`${path}api/terminal?cols=120&rows=40`, baseUrl);
  url.protocol = url.protocol === "https:" ? "wss:" : "ws:";
  return new WebSocket(url);
};
