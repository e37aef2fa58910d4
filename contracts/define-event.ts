import { z } from "zod";

/** One event type: its name, the version of its shape, and the schema of its data. */
export interface EventDefinition<Type extends string = string, Data extends z.ZodType = z.ZodType> {
  readonly type: Type;
  readonly v: number;
  readonly data: Data;
}

/** Defines an event. Names are in the past tense and never change meaning. */
export const defineEvent = <Type extends string, Shape extends z.ZodRawShape>(
  type: Type,
  v: number,
  shape: Shape,
): EventDefinition<Type, z.ZodObject<Shape>> => ({ type, v, data: z.object(shape) });

/** The union of the events that a list of definitions describes, as deciders and projections see them. */
export type EventOf<D extends EventDefinition> =
  D extends EventDefinition<infer T, infer S>
    ? { readonly type: T; readonly data: z.infer<S> }
    : never;
