import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { getEnvironment, provideEnvVariables } from "#contracts/http/environment";
import { changePrompt, listPrompts, withdrawPrompt } from "#contracts/http/prompts";
import {
  cancelSession,
  createSession,
  deleteSession,
  getSession,
  listMessages,
  listSessions,
  pauseSession,
  promptSession,
  resumeSession,
} from "#contracts/http/sessions";
import { runServices } from "#contracts/http/services";
import type { PromptId, SessionId } from "#contracts/ids";
import type { CallInput } from "#services/client/call";
import { useApi } from "../app/api.ts";

const sessionsKey = ["sessions"] as const;
export const sessionKey = (sessionId: SessionId) => ["session", sessionId] as const;

const environmentKey = (sessionId: SessionId) => [...sessionKey(sessionId), "environment"] as const;
const promptsKey = (sessionId: SessionId) => [...sessionKey(sessionId), "prompts"] as const;

/** How often the read model is asked again, in milliseconds; what is urgent comes over the live channel. */
const pollEveryMs = 5_000;

export const useSessions = () => {
  const api = useApi();
  return useInfiniteQuery({
    queryKey: sessionsKey,
    queryFn: ({ pageParam, signal }) =>
      api.call(listSessions, { query: pageParam === null ? {} : { cursor: pageParam }, signal }),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next,
    refetchInterval: pollEveryMs,
  });
};

/** The first page of them, as it was when it was asked for. */
export const useNewestSessions = () => {
  const api = useApi();
  return useQuery({
    queryKey: [...sessionsKey, "newest"],
    queryFn: async ({ signal }) => (await api.call(listSessions, { signal })).sessions,
  });
};

export const useSession = (sessionId: SessionId) => {
  const api = useApi();
  return useQuery({
    queryKey: sessionKey(sessionId),
    queryFn: ({ signal }) => api.call(getSession, { params: { sessionId }, signal }),
    refetchInterval: pollEveryMs,
  });
};

/** The transcript as it was when the page opened; the live channel takes over from there. */
export const useTranscript = (sessionId: SessionId) => {
  const api = useApi();
  return useQuery({
    queryKey: [...sessionKey(sessionId), "messages"],
    queryFn: async ({ signal }) =>
      (await api.call(listMessages, { params: { sessionId }, signal })).messages,
    refetchOnWindowFocus: false,
  });
};

/** `idempotencyKey`: the same one for the same request, so that sending it twice opens one session. */
export const useCreateSession = () => {
  const api = useApi();
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (request: {
      readonly body: NonNullable<CallInput<typeof createSession>["body"]>;
      readonly idempotencyKey: string;
    }) =>
      api.call(createSession, {
        body: request.body,
        headers: { "idempotency-key": request.idempotencyKey },
      }),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: sessionsKey }),
  });
};

export interface PromptRequest {
  readonly text: string;
  /** The same one for the same text, so that a prompt whose answer got lost is not asked twice. */
  readonly idempotencyKey: string;
}

export const usePrompt = (sessionId: SessionId) => {
  const api = useApi();
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: ({ text, idempotencyKey }: PromptRequest) =>
      api.call(promptSession, {
        params: { sessionId },
        body: { text },
        headers: { "idempotency-key": idempotencyKey },
      }),
    onSettled: () =>
      Promise.all([
        queryClient.invalidateQueries({ queryKey: sessionKey(sessionId), exact: true }),
        queryClient.invalidateQueries({ queryKey: promptsKey(sessionId) }),
      ]),
  });
};

/** The prompts that the session has open, whoever sent them. */
export const useOpenPrompts = (sessionId: SessionId, enabled: boolean) => {
  const api = useApi();
  return useQuery({
    queryKey: promptsKey(sessionId),
    queryFn: async ({ signal }) =>
      (await api.call(listPrompts, { params: { sessionId }, signal })).prompts,
    enabled,
    refetchInterval: pollEveryMs,
  });
};

/** Words a prompt that waits anew, or takes it back when the text is null. */
export const useReviseQueued = (sessionId: SessionId, promptId: PromptId) => {
  const api = useApi();
  const queryClient = useQueryClient();
  const params = { sessionId, promptId };
  return useMutation({
    mutationFn: (text: string | null) =>
      text === null
        ? api.call(withdrawPrompt, { params })
        : api.call(changePrompt, { params, body: { text } }),
    onSettled: () => queryClient.invalidateQueries({ queryKey: promptsKey(sessionId) }),
  });
};

/**
 * What the agent asks people for. What is asked is told live; that somebody else has given it is not, so it is
 * asked for again unless nothing waits.
 *
 * @param told how many requests the live channel has told of
 */
export const useEnvRequests = (sessionId: SessionId, told: number) => {
  const api = useApi();
  return useQuery({
    queryKey: [...environmentKey(sessionId), told],
    queryFn: async ({ signal }) =>
      (await api.call(getEnvironment, { params: { sessionId }, signal })).requests,
    refetchInterval: ({ state }) => (state.data?.length === 0 ? false : pollEveryMs),
    placeholderData: (former) => former,
  });
};

export const useProvideEnvVariables = (sessionId: SessionId) => {
  const api = useApi();
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (values: Readonly<Record<string, string>>) =>
      api.call(provideEnvVariables, { params: { sessionId }, body: { values } }),
    onSettled: () => queryClient.invalidateQueries({ queryKey: environmentKey(sessionId) }),
  });
};

/** What becomes of it is told on the live channel. Asking twice is one trial: the second is refused. */
export const useRunServices = (sessionId: SessionId) => {
  const api = useApi();
  return useMutation({
    mutationFn: () => api.call(runServices, { params: { sessionId } }),
  });
};

const controls = {
  cancel: cancelSession,
  pause: pauseSession,
  resume: resumeSession,
  delete: deleteSession,
} as const;
export type Control = keyof typeof controls;

/** Cancels, pauses, resumes or deletes. The answer says that it was asked for; the status tells the rest. */
export const useControl = (sessionId: SessionId) => {
  const api = useApi();
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (control: Control) => api.call(controls[control], { params: { sessionId } }),
    onSettled: () =>
      Promise.all([
        queryClient.invalidateQueries({ queryKey: sessionKey(sessionId), exact: true }),
        queryClient.invalidateQueries({ queryKey: sessionsKey }),
      ]),
  });
};
