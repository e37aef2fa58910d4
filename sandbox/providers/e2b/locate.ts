/** Which of E2B's sandboxes is the session's. Nothing here wakes a sandbox or lets it run on. */
import type { SandboxCheck, SandboxRef } from "../../provider/sandbox.ts";
import type { E2bApi, KnownSandbox } from "./api.ts";

/**
 * The one that the session has stored, else the newest that carries its id: an owner may have died between
 * making it and telling of it.
 */
export const locate = async (api: E2bApi, ref: SandboxRef): Promise<KnownSandbox | null> => {
  const stored = ref.sandboxId === null ? null : await api.info(ref.sandboxId);
  if (stored?.sessionId === ref.sessionId) return stored;
  return (await api.list(ref.sessionId)).at(-1) ?? null;
};

export const checkAll = async (
  api: E2bApi,
  refs?: readonly SandboxRef[],
): Promise<readonly SandboxCheck[]> => {
  const all = await api.list();
  const check = ({ id, sessionId, state }: KnownSandbox): SandboxCheck => ({
    sessionId,
    sandboxId: id,
    state,
  });
  if (refs === undefined) return all.map(check);
  return refs.map((ref) => {
    const own = all.filter(({ sessionId }) => sessionId === ref.sessionId);
    const found = own.find(({ id }) => id === ref.sandboxId) ?? own.at(-1);
    if (found) return check(found);
    return { sessionId: ref.sessionId, sandboxId: ref.sandboxId ?? "", state: "gone" };
  });
};
