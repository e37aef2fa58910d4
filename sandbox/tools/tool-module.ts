/** A tool as OpenCode loads it from a file: an object with a description, its arguments and a function. */
import { callGateway, type Environment } from "./call-gateway.ts";

export interface ToolDescription {
  readonly name: string;
  readonly toolSchemaVersion: number;
  readonly description: string;
  /** JSON Schema of each argument. Without a library nothing has to be installed to load the file. */
  readonly args: Readonly<Record<string, unknown>>;
}

/** What OpenCode hands to a tool, as far as it is used here. */
interface ToolContext {
  readonly callID?: string;
  readonly messageID?: string;
  readonly abort?: AbortSignal;
}

export interface ToolModule {
  readonly description: string;
  readonly args: ToolDescription["args"];
  execute(
    args: unknown,
    context: ToolContext,
  ): Promise<{ title: string; output: string; metadata: Record<string, unknown> }>;
}

/** @public to the code that `tool-files.ts` generates. */
export const toolModule = (
  { name, toolSchemaVersion, description, args }: ToolDescription,
  environment: Environment,
): ToolModule => ({
  description,
  args,
  execute: async (given, { callID, messageID, abort }) => {
    const answer = await callGateway(
      {
        tool: name,
        toolSchemaVersion,
        // Models reuse the ids of their calls; with the message's id they are unique in a session.
        callId: callID === undefined ? crypto.randomUUID() : callIdOf(messageID, callID),
        args: given,
        signal: abort,
      },
      environment,
    );
    if (!answer.success) throw new Error(answer.result);
    return { title: name, output: answer.result, metadata: answer.data ?? {} };
  },
});

const callIdOf = (messageID: string | undefined, callID: string): string =>
  messageID === undefined ? callID : `${messageID}:${callID}`;
