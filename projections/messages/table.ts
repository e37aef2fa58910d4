import type { Message } from "#contracts/transcript/message";
import type { Table } from "../runtime/table.ts";

export interface MessageRow extends Pick<
  Message,
  "id" | "role" | "parts" | "finish" | "failure" | "usage" | "cost"
> {
  readonly organization_id: string;
  readonly session_id: string;
  /** Counts the session's messages from 0, by the first arrival of each. */
  readonly index: number;
  readonly prompt_id: string | null;
  /** When the message was first recorded. */
  readonly at: string;
}

export const messagesTable: Table<MessageRow> = {
  name: "messages",
  key: ["organization_id", "session_id", "id"],
  columns: {
    organization_id: "text",
    session_id: "text",
    id: "text",
    index: "integer",
    role: "text",
    prompt_id: "text",
    parts: "jsonb",
    finish: "text",
    failure: "jsonb",
    usage: "jsonb",
    cost: "double precision",
    at: "timestamptz",
  },
  sessionColumn: "session_id",
};
