/** Asks a server to end its turns and shells and to close what is open in its database. */

const disposeTimeoutMs = 5_000;

/** Never throws: a server that does not do as asked is killed afterwards anyway. */
export const disposeServer = async (baseUrl: string, authorization: string): Promise<void> => {
  try {
    const response = await fetch(new URL("/global/dispose", baseUrl), {
      method: "POST",
      headers: { authorization },
      signal: AbortSignal.timeout(disposeTimeoutMs),
    });
    await response.body?.cancel();
  } catch {
    // Hung, or already ending.
  }
};
