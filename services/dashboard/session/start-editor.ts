/** Starts VS Code in a session's sandbox, and finds out first whether there is one. */
import { useMutation } from "@tanstack/react-query";
import { openProxy } from "#contracts/http/proxies";
import type { SessionId } from "#contracts/ids";
import { isProblemError, ProblemError, problemOfAnswer } from "#services/client/problem-error";
import { type Api, useApi } from "../app/api.ts";

/** Where the sidecar has its editor; see `docs/proxies.md`. */
const editorPath = "vscode/";

/** How often a sandbox is asked anew that does not answer yet: its sidecar comes up after its agent. */
const tries = 15;
const pauseMs = 2_000;

/** Answers the address to open, which is good for hours and for whoever knows it. */
export const useStartEditor = (sessionId: SessionId) => {
  const api = useApi();
  return useMutation({
    mutationFn: async () => {
      const target = { target: "vscode", access: "write" } as const;
      const { path, origin } = await api.call(openProxy, { params: { sessionId }, body: target });
      await requireEditor(api, sessionId);
      return `${origin ?? ""}${path}`;
    },
    retry: (count, error) => count < tries && isProblemError(error, "proxy_upstream_failed"),
    retryDelay: pauseMs,
  });
};

/**
 * Starts it by asking the sidecar for its page. At the editor's own origin this page could not read a refusal.
 *
 * @throws ProblemError `editor_missing`, `editor_unavailable`, or why the sandbox does not answer
 */
const requireEditor = async (api: Api, sessionId: SessionId): Promise<void> => {
  const { path } = await api.call(openProxy, {
    params: { sessionId },
    body: { target: "sidecar", access: "read" },
  });
  const answer = await ask(`${path}${editorPath}`);
  // An editor leads to the folder that it opens; where to does not matter here.
  if (answer.ok || answer.type === "opaqueredirect") {
    // Nobody reads the page, so how its transfer ends is nobody's concern.
    answer.body?.cancel().catch(() => undefined);
    return;
  }
  const problem: unknown = await answer.json().catch(() => undefined); // Not JSON: not one of ours.
  throw problemOfAnswer(answer.status, problem);
};

const ask = async (path: string): Promise<Response> => {
  try {
    return await fetch(path, { redirect: "manual" });
  } catch (cause) {
    const detail = "The server cannot be reached.";
    throw new ProblemError({ code: "unreachable", status: 0, detail, cause });
  }
};
