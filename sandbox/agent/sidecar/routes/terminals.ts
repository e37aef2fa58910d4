import type { Terminals } from "../../terminal/terminals.ts";
import { json, type Route } from "../api.ts";

/** Opening one is a WebSocket; see `terminal-socket.ts`. */
export const terminalRoutes = (terminals: Terminals): readonly Route[] => [
  { method: "GET", pattern: "/api/terminals", handle: () => json({ terminals: terminals.list() }) },
];
