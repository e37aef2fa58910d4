/** What an endpoint answers, before it is put on the wire. */

export interface Reply {
  readonly status: number;
  /** Bytes as they are, anything else as JSON. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The error body of the REST interface and of envd's plain HTTP endpoints. */
export const failure = (code: number, message: string): Reply => ({
  status: code,
  body: { code, message },
});

const connectStatus = {
  invalid_argument: 400,
  unauthenticated: 401,
  not_found: 404,
  already_exists: 409,
  deadline_exceeded: 408,
  internal: 500,
  unimplemented: 501,
} as const;

/** An error of a Connect procedure. */
export class ConnectFailure extends Error {
  readonly code: keyof typeof connectStatus;

  constructor(code: keyof typeof connectStatus, message: string) {
    super(message);
    this.code = code;
  }

  get reply(): Reply {
    return {
      status: connectStatus[this.code],
      body: { code: this.code, message: this.message },
    };
  }
}
