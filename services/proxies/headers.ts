/** Which headers pass a proxy: nothing that lets either side speak in the gateway's name. */
import type { IncomingHttpHeaders, OutgoingHttpHeaders } from "node:http";
import type { ProxyTarget } from "#contracts/proxies/target";

/** Of one connection only, RFC 9110, 7.6.1; what `Connection` names comes on top. */
const hopByHop = [
  "connection",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
];

/**
 * The caller's credentials, where the page came from (its address has the ticket in it), and who stands
 * before the gateway. `Expect` has been answered here.
 */
const ofTheCaller = ["authorization", "cookie", "host", "origin", "referer", "expect", "forwarded"];
/** Selects another folder than the workspace in the agent's server. */
const steering = ["x-opencode-directory", "x-opencode-workspace"];

/** What would rule the gateway's own origin, ask people for passwords, or is answered by us. */
const ofTheSandbox = [
  "set-cookie",
  "www-authenticate",
  "authentication-info",
  "strict-transport-security",
  "clear-site-data",
  "service-worker-allowed",
  "alt-svc",
  "nel",
  "report-to",
  "reporting-endpoints",
  "referrer-policy",
  "x-frame-options",
];

/** The headers for the sandbox. @param added in place of the client's own, such as what opens it */
export const requestHeaders = (
  headers: IncomingHttpHeaders,
  added: Readonly<Record<string, string>>,
): OutgoingHttpHeaders => {
  const dropped = new Set([...hopByHop, ...ofTheCaller, ...steering, ...namedBy(headers)]);
  const passed = Object.entries(headers).filter(
    ([name]) => !dropped.has(name) && !/^(?:x-forwarded-|x-real-ip$)/.test(name),
  );
  return { ...Object.fromEntries(passed), ...added };
};

/** The headers for the client; see {@link isolation}. */
export const responseHeaders = (
  headers: IncomingHttpHeaders,
  target: ProxyTarget,
): OutgoingHttpHeaders => {
  const dropped = new Set([...hopByHop, ...ofTheSandbox, ...namedBy(headers)]);
  const passed = Object.entries(headers).filter(
    ([name]) => !dropped.has(name) && !/^(?:access-control-|cross-origin-)/.test(name),
  );
  const { "content-security-policy": policy, ...own } = isolation[target];
  const policies = [headers["content-security-policy"], policy].filter(Boolean).join(", ");
  return { ...Object.fromEntries(passed), ...own, "content-security-policy": policies };
};

/**
 * The sandbox is not trusted, and its pages come from the gateway's own host. A sandboxed document has an
 * origin of its own: the browser sends no cookie of ours from it and shows it nothing of ours. To load its
 * own scripts such a page needs CORS, which gives nothing away, since the path is what lets in.
 */
const isolation: Readonly<Record<ProxyTarget, Readonly<Record<string, string>>>> = {
  preview: {
    "content-security-policy":
      "sandbox allow-scripts allow-forms allow-modals allow-popups allow-downloads; frame-ancestors 'self'",
    "access-control-allow-origin": "*",
    "cross-origin-resource-policy": "cross-origin",
    "referrer-policy": "no-referrer",
  },
  // Its origin is its session's and nobody else's (see page-origins.ts): it needs what a sandboxed page has not.
  vscode: {
    "content-security-policy": "frame-ancestors 'self'",
    "cross-origin-resource-policy": "same-origin",
    "referrer-policy": "no-referrer",
  },
  sidecar: data(),
  opencode: data(),
};

/** For what programs read and nobody is to open as a page. */
function data() {
  return {
    "content-security-policy": "sandbox; default-src 'none'; frame-ancestors 'none'",
    "cross-origin-resource-policy": "same-origin",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "cache-control": "no-store",
  };
}

const namedBy = ({ connection }: IncomingHttpHeaders): string[] =>
  (connection ?? "").split(",").map((name) => name.trim().toLowerCase());
