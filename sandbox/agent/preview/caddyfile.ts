/**
 * Caddy's configuration for the preview: one port in front of what the agent builds. Written for Caddy 2.6 and
 * later.
 */
import { editorPath } from "../editor/editor-proxy.ts";

export interface PreviewSettings {
  /** `0.0.0.0` where a provider's tunnel comes from outside. */
  readonly host: string;
  readonly port: number;
  /** Where applications usually listen, the likeliest first. */
  readonly fallbackPorts: readonly number[];
}

export interface CaddyfilePlaces {
  readonly sidecarPort: number;
  /** Caddy's own interface: a socket, which no page and no proxy can reach as it could a port. */
  readonly adminSocket: string;
  /**
   * Absolute, as all paths here: after a reload Caddy takes relative ones from its working folder, finds
   * nothing, and says nothing.
   */
  readonly userFile: string;
  readonly storageFolder: string;
}

/** The Host that Caddy expects on its socket. */
export const adminHost = "sidecar";

export const caddyfile = (settings: PreviewSettings, places: CaddyfilePlaces): string => `{
	admin ${quoted(`unix/${places.adminSocket}`)} {
		origins ${adminHost}
	}
	auto_https off
	storage file_system ${quoted(places.storageFolder)}
}

:${settings.port} {
	bind ${settings.host}

	# The sidecar asks for its token itself.
	handle_path /_proliferate/mcp/* {
		reverse_proxy 127.0.0.1:${places.sidecarPort}
	}
	handle_path /_proliferate/vscode/* {
		rewrite * ${editorPath}{uri}
		reverse_proxy 127.0.0.1:${places.sidecarPort}
	}
	handle /_proliferate/* {
		respond 404
	}

	# The exposed port, if there is one: the first of two such blocks is the one that counts.
	import ${quoted(places.userFile)}
	handle {
		# The first that listens; each that does not is left out for a second.
		reverse_proxy ${settings.fallbackPorts.map((port) => `localhost:${port}`).join(" ")} {
			lb_policy first
			lb_try_duration 1s
			lb_try_interval 5ms
			fail_duration 1s
		}
	}

	handle_errors {
		@own expression \`{http.request.orig_uri.path}.startsWith("/_proliferate/")\`
		handle @own {
			respond {err.status_code}
		}
		handle {
			header Content-Type "text/html; charset=utf-8"
			header Cache-Control no-store
			respond \`${nothingListens}\` 502
		}
	}
}
`;

/** Without braces, which Caddy would take for its placeholders. Asks again by itself. */
const nothingListens = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="refresh" content="3">
<title>Nothing to show yet</title>
</head>
<body style="font-family: system-ui, sans-serif; max-width: 34rem; margin: 20vh auto; padding: 0 1rem">
<h1>Nothing to show yet</h1>
<p>No application answers in this sandbox. This page looks again every three seconds.</p>
<p>If one runs on an unusual port, expose it: <code>proliferate services expose --port 1234</code></p>
</body>
</html>`;

/** What the user's file holds: the exposed port, or nothing. */
export const exposedPortSnippet = (port: number | null): string =>
  port === null ? "# No port is exposed.\n" : `handle {\n\treverse_proxy localhost:${port}\n}\n`;

export const parseExposedPort = (snippet: string): number | null => {
  const port = /reverse_proxy localhost:(\d+)/.exec(snippet)?.[1];
  return port === undefined ? null : Number(port);
};

/** As one token of a Caddyfile. */
const quoted = (text: string): string => `"${text.replaceAll('"', '\\"')}"`;
