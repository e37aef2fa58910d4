/**
 * Another program gives an agent work, in its own name. Its token comes from the operator:
 * `npm run cli -- service-tokens issue org_… --name nightly --scopes read,sessions`
 */
import { createClient, createSession, getSession } from "proliferate/client";

/**
 * @param key names the work: after a lost answer the same call opens no second session
 * @returns where the session stands
 */
export const openOnce = async (
  { baseUrl, serviceToken }: { readonly baseUrl: string; readonly serviceToken: string },
  { key, prompt }: { readonly key: string; readonly prompt: string },
): Promise<string> => {
  const client = createClient({ baseUrl, serviceToken });
  const { sessionId } = await client.call(createSession, {
    headers: { "idempotency-key": key },
    body: { title: "Nightly", prompt },
  });
  return (await client.call(getSession, { params: { sessionId } })).status;
};
