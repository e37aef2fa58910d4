import { json, type Route } from "../api.ts";

export const accessRoutes: readonly Route[] = [
  { method: "GET", pattern: "/api/health", open: true, handle: () => json({ status: "ok" }) },
  // Whoever gets as far as here has the token; the preview asks this for what has no check of its own.
  { method: "GET", pattern: "/api/auth/check", handle: () => json({ status: "ok" }) },
];
