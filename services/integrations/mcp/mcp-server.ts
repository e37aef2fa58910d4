import type { Outbound } from "../outbound/outbound.ts";

/** Where an MCP server is, and what opens it. */
export interface McpServer {
  readonly url: string;
  /**
   * The headers that go with every request, for instance an authorization; never logged. Asked for at each
   * connection, so that new ones count at once.
   *
   * @throws DomainError `integration_unauthorized` when there are none
   */
  headers(): Promise<Readonly<Record<string, string>>>;
  /** Makes new headers after the present ones were refused, where that can be done. Throws as they do. */
  renewHeaders?(): Promise<void>;
  readonly outbound: Outbound;
}
