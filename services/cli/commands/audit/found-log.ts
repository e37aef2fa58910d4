/** What audits work on: the log as it is, whatever the settings say that it should be. */
import { openAsFound } from "#event-store/audit/open-as-found";
import type { EventStore } from "#event-store/event-store";
import { type CliContext, withLog, withLogAndDatabase } from "../../context.ts";

export const withFoundLog = <T>(
  context: CliContext,
  work: (store: EventStore) => Promise<T>,
): Promise<T> => withLog(context, work, openAsFound);

export const withFoundLogAndDatabase = <T>(
  context: CliContext,
  work: Parameters<typeof withLogAndDatabase<T>>[1],
): Promise<T> => withLogAndDatabase(context, work, openAsFound);
