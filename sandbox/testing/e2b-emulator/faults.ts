/** What tests make go wrong, one call at a time. */

export type Fault =
  /** Refused with this status; nothing is done. */
  | {
      readonly kind: "refuse";
      readonly status: number;
      readonly message: string;
      readonly headers?: Readonly<Record<string, string>>;
    }
  /** The connection breaks before anything is done. */
  | { readonly kind: "drop" }
  /** It is done, and the connection breaks before the answer. */
  | { readonly kind: "lose_answer" }
  /** Taken up only after this many milliseconds. */
  | { readonly kind: "delay"; readonly ms: number }
  /** A stream breaks after its first event. */
  | { readonly kind: "cut_stream" };

export interface FaultQueue {
  /** The next call whose `METHOD /path` matches gets the fault; later ones do not. */
  next(call: RegExp, fault: Fault): void;
  /** The fault that this call is to have. */
  take(call: string): Fault | null;
}

export const faultQueue = (): FaultQueue => {
  const waiting: { call: RegExp; fault: Fault }[] = [];
  return {
    next: (call, fault) => {
      waiting.push({ call, fault });
    },
    take: (call) => {
      const index = waiting.findIndex((entry) => entry.call.test(call));
      return index < 0 ? null : (waiting.splice(index, 1)[0]?.fault ?? null);
    },
  };
};
