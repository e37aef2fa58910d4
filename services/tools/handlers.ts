import type { ToolHandlers } from "./handler.ts";
import { automationComplete } from "./handlers/automation-complete.ts";
import { requestEnvVariables } from "./handlers/request-env-variables.ts";
import { saveServiceCommands } from "./handlers/save-service-commands.ts";
import { saveSnapshot } from "./handlers/save-snapshot.ts";

export const toolHandlers: ToolHandlers = {
  save_snapshot: saveSnapshot,
  save_service_commands: saveServiceCommands,
  automation_complete: automationComplete,
  request_env_variables: requestEnvVariables,
};
