/** The daemon inside every sandbox: decides which endpoint a request is for. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { ZodError } from "zod";
import type { EmulatedSandbox } from "../emulated-sandbox.ts";
import { ConnectFailure, failure, type Reply } from "../reply.ts";
import { openEventStream, readRequestFrame } from "./event-stream.ts";
import { readSandboxFile, writeSandboxFiles } from "./files-endpoint.ts";
import { filesystemProcedures } from "./filesystem-service.ts";
import { processProcedures, processStreams } from "./process-service.ts";

export interface EnvdRequest {
  readonly sandbox: EmulatedSandbox;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly url: URL;
  readonly body: Buffer;
  /** A stream breaks after its first event. */
  readonly cutStream: boolean;
}

/** The version whose interface is emulated. */
export const envdVersion = "0.6.2";

/** Null when the answer is a stream, which goes its own way. */
export const answerEnvd = async (call: EnvdRequest): Promise<Reply | null> => {
  const { sandbox, request, url } = call;
  const endpoint = `${request.method} ${url.pathname}`;
  if (endpoint === "GET /health") return { status: 204 };
  if (request.headers["x-access-token"] !== sandbox.accessToken) {
    return failure(401, "unauthorized access, please provide a valid access token");
  }
  const inside = url.searchParams.get("path");
  if (endpoint === "GET /files") return readSandboxFile(sandbox, inside ?? "");
  if (endpoint === "POST /files") {
    const contentType = request.headers["content-type"] ?? "application/octet-stream";
    return writeSandboxFiles(sandbox, { path: inside, contentType, body: call.body });
  }
  try {
    return await callProcedure(call);
  } catch (error) {
    return connectFailure(error).reply;
  }
};

const callProcedure = async (call: EnvdRequest): Promise<Reply | null> => {
  const { sandbox, request, response, url, body } = call;
  const [, service, name = ""] = url.pathname.split("/");
  const streaming = service === "process.Process" ? processStreams[name] : undefined;
  if (streaming) {
    const stream = openEventStream(response, call.cutStream ? 1 : undefined);
    const timeout = request.headers["connect-timeout-ms"];
    const timeoutMs = timeout === undefined ? null : Number(timeout);
    await streaming({ sandbox, body: readRequestFrame(body), stream, timeoutMs }).catch(
      (error: unknown) => stream.end(connectFailure(error)),
    );
    return null;
  }
  const procedures = {
    "process.Process": processProcedures,
    "filesystem.Filesystem": filesystemProcedures,
  };
  const procedure = Object.entries(procedures).find(([known]) => known === service)?.[1][name];
  if (!procedure) throw new ConnectFailure("unimplemented", `${url.pathname} is not emulated`);
  return { status: 200, body: await procedure(sandbox, JSON.parse(body.toString("utf8"))) };
};

const connectFailure = (error: unknown): ConnectFailure => {
  if (error instanceof ConnectFailure) return error;
  if (error instanceof ZodError) return new ConnectFailure("invalid_argument", error.message);
  return new ConnectFailure("internal", String(error));
};
