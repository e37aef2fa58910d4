import type { AggregateDefinition, AggregateKey } from "./load.ts";

/** Whose key seals an aggregate's text when it has come to this state. */
export const textOwnerOf = <Command, Event, State>(
  { textOwner }: AggregateDefinition<Command, Event, State>,
  key: AggregateKey,
  state: State,
): string => textOwner?.(key, state) ?? key.organization;
