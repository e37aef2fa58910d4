/** What the emulator reads of the SDK's messages, and what it answers. Names and numbers are the protocol's. */

/** `GenericResult.status`. */
export const resultStatus = { success: 1, failure: 2, terminated: 3, timeout: 4 } as const;

/** Null in the protocol's way: absent while the sandbox runs. */
export interface SandboxResult {
  readonly status: (typeof resultStatus)[keyof typeof resultStatus];
  readonly exitcode: number;
  readonly exception: string;
}

export interface PortSpec {
  readonly port: number;
  readonly unencrypted: boolean;
}

export interface SandboxTag {
  readonly tagName: string;
  readonly tagValue: string;
}

/** Secrets and plain environment variables travel alike. Stored secrets (`secretId`) are not emulated. */
export interface SecretSource {
  readonly env?: { readonly contents: Readonly<Record<string, string>> };
}

export interface SandboxDefinition {
  readonly imageId: string;
  /** Seconds. */
  readonly timeoutSecs: number;
  readonly openPorts?: { readonly ports: readonly PortSpec[] };
  readonly name?: string;
  readonly enableSnapshot: boolean;
}

export interface SandboxCreateRequest {
  readonly appId: string;
  readonly definition?: SandboxDefinition;
  readonly tags: readonly SandboxTag[];
  readonly secretSources: readonly SecretSource[];
}

export interface SandboxRestoreRequest {
  readonly snapshotId: string;
  /** 0: the name it had. 1: no name. 2: `sandboxNameOverride`. */
  readonly sandboxNameOverrideType: number;
  readonly sandboxNameOverride: string;
}

export interface TunnelData {
  readonly containerPort: number;
  readonly host: string;
  readonly port: number;
  readonly unencryptedHost?: string;
  readonly unencryptedPort?: number;
}

export interface ExecStartRequest extends ExecRequest {
  readonly commandArgs: readonly string[];
  readonly workdir?: string;
  /** Seconds. */
  readonly timeoutSecs?: number;
  readonly secretSources: readonly SecretSource[];
}

export interface ExecRequest {
  readonly taskId: string;
  readonly execId: string;
}

export interface StdioReadRequest extends ExecRequest {
  /** Bytes of this stream that the client has already. */
  readonly offset: number;
  /** 0: standard output. 1: standard error. */
  readonly fileDescriptor: number;
}

export interface StdinWriteRequest extends ExecRequest {
  readonly offset: number;
  readonly data: Uint8Array;
  readonly eof: boolean;
}

/** One of both. */
export interface ExecStatus {
  readonly code?: number;
  readonly signal?: number;
}
