/** `proliferate/client`: the HTTP API and the live channel, for browsers and Node. */
export { createClient, type Client, type ClientOptions } from "./client.ts";
export type { Answer, AnswerBody, CallArguments, CallInput } from "./call.ts";
export { watchSession, type Watch, type WatchOptions, type WatchState } from "./watch-session.ts";
export { ProblemError, isProblemError, type ProblemCode } from "./problem-error.ts";
export { foldStreaming, type Streaming } from "#contracts/live/streaming";
export { todosOf, type Todo } from "#contracts/transcript/todos";
export type { FileChange, FilesChanged } from "#contracts/transcript/files-changed";
export type { MessagePart, ToolPart } from "#contracts/transcript/message";
export type { MessageView } from "#contracts/transcript/view";
export type { ClientFrame, LiveAccess } from "#contracts/live/client-frames";
export type { LiveMessage, ServerFrame, StreamingMessage } from "#contracts/live/messages";
export type { InvocationId, OrganizationId, SessionId } from "#contracts/ids";
export {
  cancelSession,
  createSession,
  deleteSession,
  getSession,
  getSessionTelemetry,
  listMessages,
  listSessions,
  openLiveChannel,
  pauseSession,
  promptSession,
  resumeSession,
  setAutoDelete,
} from "#contracts/http/sessions";
export {
  approveInvocation,
  clearActionMode,
  denyInvocation,
  getInvocation,
  invokeAction,
  listAvailableActions,
  listInvocations,
  listOrganizationActions,
  setActionMode,
} from "#contracts/http/actions";
export {
  clearAutomationMode,
  createRule,
  dryRunPolicy,
  getPolicy,
  overrideRisk,
  removeRule,
  replaceRule,
  setAutomationMode,
} from "#contracts/http/policy";
export {
  authorizeConnector,
  changeConnector,
  createConnector,
  listConnectors,
  removeConnector,
  testConnector,
} from "#contracts/http/connectors";
export {
  connectIntegration,
  disconnectIntegration,
  listIntegrations,
  testIntegration,
} from "#contracts/http/integrations";
export {
  clearAutoDeleteDefault,
  getAutoDeleteDefault,
  setAutoDeleteDefault,
} from "#contracts/http/organization";
export { listTriggers } from "#contracts/http/triggers";
export { getEnvironment, provideEnvVariables } from "#contracts/http/environment";
export {
  archiveConfiguration,
  changeConfiguration,
  createConfiguration,
  getConfiguration,
  listConfigurations,
} from "#contracts/http/configurations";
export {
  commitGitChanges,
  createGitBranch,
  getGitStatus,
  listGitBranches,
  openPullRequest,
  pushGitBranch,
  stageGitChanges,
} from "#contracts/http/git";
export { runServices } from "#contracts/http/services";
export { openProxy } from "#contracts/http/proxies";
export { getMe, signIn } from "#contracts/http/identity";
