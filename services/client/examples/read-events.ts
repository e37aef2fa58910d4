/** Follows a session in a browser page of the gateway, without WebSockets: the browser reconnects and resumes. */
import type { ServerFrame, SessionId } from "proliferate/client";

/** @returns ends the watching */
export const readEvents = (
  sessionId: SessionId,
  onFrame: (frame: ServerFrame) => void,
): (() => void) => {
  const events = new EventSource(`/v1/sessions/${sessionId}/live`);
  events.onmessage = ({ data }: MessageEvent<string>) => onFrame(JSON.parse(data) as ServerFrame);
  return () => events.close();
};
