import { z } from "zod";

/** One event type: its name, the version of its shape, and the schema of its data. */
export interface EventDefinition<Type extends string = string, Data extends z.ZodType = z.ZodType> {
  readonly type: Type;
  readonly v: number;
  readonly data: Data;
  /**
   * The fields that hold what people or agents wrote, each with what stands in its place once that was
   * erased: by path, such as `message.parts`. Fields that a former version had stay listed.
   */
  readonly erased: Readonly<Record<string, unknown>>;
}

/** The paths of an object's fields, those of fields of fields too. */
type PathIn<T> = T extends readonly unknown[]
  ? never
  : T extends object
    ? { [K in keyof T & string]: K | `${K}.${PathIn<NonNullable<T[K]>>}` }[keyof T & string]
    : never;

/** What is found at a path. */
type ValueAt<T, Path extends string> = Path extends `${infer First}.${infer Rest}`
  ? First extends keyof T
    ? ValueAt<NonNullable<T[First]>, Rest>
    : never
  : Path extends keyof T
    ? NonNullable<T[Path]>
    : never;

type Erased<T> = { readonly [Path in PathIn<T>]?: ValueAt<T, Path> };

/**
 * Defines an event. Names are in the past tense and never change meaning. Whatever people or agents write
 * into it must be named in `erased`: it is stored encrypted, and can be erased.
 */
export const defineEvent = <Type extends string, Shape extends z.ZodRawShape>(
  type: Type,
  v: number,
  shape: Shape,
  erased: Erased<z.infer<z.ZodObject<Shape>>> = {},
): EventDefinition<Type, z.ZodObject<Shape>> => ({ type, v, data: z.object(shape), erased });

/** The union of the events that a list of definitions describes, as deciders and projections see them. */
export type EventOf<D extends EventDefinition> =
  D extends EventDefinition<infer T, infer S>
    ? { readonly type: T; readonly data: z.infer<S> }
    : never;
