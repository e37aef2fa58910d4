import { useRef } from "react";
import { newId } from "#contracts/ids";

/**
 * Answers the idempotency key of a request: the same one for as long as the same request is sent again, so
 * that pressing twice, or once more after an answer got lost, asks for it once.
 *
 * @returns a function that takes the request's body; a new body gets a new key, and so does every body
 * after `forget`
 */
export const useIdempotencyKey = () => {
  const last = useRef<{ readonly request: string; readonly key: string } | null>(null);
  return {
    keyOf: (body: unknown): string => {
      const request = JSON.stringify(body);
      if (last.current?.request !== request) last.current = { request, key: newId("command") };
      return last.current.key;
    },
    /** The request was taken: the same words said again are another request. */
    forget: (): void => {
      last.current = null;
    },
  };
};
