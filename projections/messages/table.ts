import type { Author } from "#contracts/transcript/author";
import type { Message } from "#contracts/transcript/message";
import type { Table } from "../runtime/table.ts";

export interface MessageRow extends Pick<
  Message,
  "id" | "role" | "parts" | "finish" | "failure" | "usage" | "cost"
> {
  readonly organization_id: string;
  readonly session_id: string;
  /** The commit that first recorded the message, and the place of the event in it. */
  readonly sequence: number;
  readonly event: number;
  readonly prompt_id: string | null;
  readonly files_changed: Message["filesChanged"];
  readonly author: Author | null;
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
    sequence: "bigint",
    event: "integer",
    role: "text",
    prompt_id: "text",
    author: "jsonb",
    parts: "jsonb",
    finish: "text",
    failure: "jsonb",
    usage: "jsonb",
    cost: "double precision",
    files_changed: "jsonb",
    at: "timestamptz",
  },
  kept: ["sequence", "event", "at"],
  sessionColumn: "session_id",
};
