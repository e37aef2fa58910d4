/**
 * Asks the gateway to carry a tool call out. This runs inside sandboxes, as a part of each tool file, so it
 * imports nothing.
 *
 * A snapshot freezes the sandbox and breaks the connection that waits for it. So whatever ends without an
 * answer is asked again with the same id, and the gateway answers from its log.
 */

export interface ToolRequest {
  readonly tool: string;
  readonly toolSchemaVersion: number;
  /** The same for each attempt. */
  readonly callId: string;
  readonly args: unknown;
  /** Fires when the turn is aborted. */
  readonly signal?: AbortSignal | undefined;
}

export interface Answer {
  readonly success: boolean;
  readonly result: string;
  readonly data?: Record<string, unknown>;
}

export type Environment = Readonly<Record<string, string | undefined>>;

const retries = 5;
const firstPauseMs = 500;
const requestTimeoutMs = 120_000;

/** @throws Error with a text for the agent, when the gateway refuses or stays away */
export const callGateway = async (
  request: ToolRequest,
  environment: Environment,
): Promise<Answer> => {
  for (let attempt = 0; ; attempt += 1) {
    const reply = await attemptCall(request, environment);
    if ("answer" in reply) return reply.answer;
    if (attempt === retries) {
      throw new Error(`The control plane did not answer (${reply.unanswered}); try again later.`);
    }
    await pause(firstPauseMs * 2 ** attempt, request.signal);
  }
};

const attemptCall = async (
  { tool, toolSchemaVersion, callId, args, signal }: ToolRequest,
  environment: Environment,
): Promise<{ readonly answer: Answer } | { readonly unanswered: string }> => {
  const address = addressOf(tool, environment);
  const timeout = AbortSignal.timeout(requestTimeoutMs);
  let response: Response;
  let text: string;
  try {
    response = await fetch(address.url, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        authorization: `Bearer ${address.token}`,
        // A connection from before a freeze may be dead without knowing it.
        connection: "close",
      },
      body: JSON.stringify({
        tool_call_id: callId,
        args,
        tool_schema_version: toolSchemaVersion,
      }),
      signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
    });
    text = await response.text();
  } catch (error) {
    if (signal?.aborted) throw error;
    // Refused, reset, cut off, timed out: runtimes name it differently, and it is all no answer.
    return { unanswered: error instanceof Error ? error.message : String(error) };
  }
  if (response.ok) return { answer: JSON.parse(text) as Answer };
  // A proxy without a gateway behind it, or a gateway that says "not now".
  if (response.status >= 502 && response.status <= 504) {
    return { unanswered: `HTTP ${response.status}` };
  }
  throw new Error(refusalOf(text, response.status));
};

const addressOf = (
  tool: string,
  environment: Environment,
): { readonly url: string; readonly token: string } => {
  const url = environment["PROLIFERATE_GATEWAY_URL"];
  const session = environment["PROLIFERATE_SESSION_ID"];
  const token = environment["PROLIFERATE_SANDBOX_TOKEN"];
  if (!url || !session || !token) throw new Error("This tool works only inside a sandbox.");
  const path = `/proliferate/${encodeURIComponent(session)}/tools/${encodeURIComponent(tool)}`;
  return { url: url.replace(/\/+$/, "") + path, token };
};

/** From a problem document (RFC 9457), or whatever else it was. */
const refusalOf = (text: string, status: number): string => {
  try {
    const { detail, code } = JSON.parse(text) as { detail?: unknown; code?: unknown };
    if (typeof detail === "string" && typeof code === "string") return `${detail} (${code})`;
  } catch {
    // Not JSON: the status has to do.
  }
  return `The control plane answered with HTTP ${status}.`;
};

const pause = (ms: number, signal: AbortSignal | undefined): Promise<void> =>
  new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms);
    signal?.addEventListener(
      "abort",
      () => {
        clearTimeout(timer);
        reject(new Error("The call was aborted."));
      },
      { once: true },
    );
  });
