/** What a call of a route takes and gives, from the route's own schemas. */
import type { z } from "zod";
import type { Route } from "#contracts/http/route";

/** A part is required exactly when the route has a schema for it that needs something. */
type Part<Name extends string, S> = S extends z.ZodType
  ? undefined extends z.input<S>
    ? { readonly [K in Name]?: z.input<S> }
    : Record<never, never> extends z.input<S>
      ? { readonly [K in Name]?: z.input<S> }
      : { readonly [K in Name]: z.input<S> }
  : { readonly [K in Name]?: undefined };

export type CallInput<R extends Route> = Part<"params", R["params"]> &
  Part<"query", R["query"]> &
  Part<"headers", R["headers"]> &
  Part<"body", R["body"]> & {
    /** Gives the call up. */
    readonly signal?: AbortSignal;
  };

/** The input may be left out when every part may. */
export type CallArguments<R extends Route> =
  Record<never, never> extends CallInput<R> ? [input?: CallInput<R>] : [input: CallInput<R>];

/** The answers of a route, told apart by their status. */
export type Answer<R extends Route> = {
  [Status in keyof R["responses"]]: {
    readonly status: Status;
    readonly body: R["responses"][Status] extends z.ZodType
      ? z.output<R["responses"][Status]>
      : never;
    /** Where the read model stood, for routes that take `?after=`; null otherwise. */
    readonly position: string | null;
  };
}[keyof R["responses"]];

export type AnswerBody<R extends Route> = Answer<R>["body"];
