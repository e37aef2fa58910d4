/** Answers that end: nobody can fill the memory with one. */
import { DomainError } from "#contracts/errors";

/**
 * The same answer, whose body fails with `response_too_large` beyond so many bytes. Counted after
 * decompression, so a small packed answer cannot unfold into a huge one.
 */
export const boundedBody = (response: Response, maxBytes: number): Response => {
  if (response.body === null) return response;
  let received = 0;
  const counted = response.body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform: (chunk, controller) => {
        received += chunk.byteLength;
        if (received > maxBytes) throw tooLarge(maxBytes);
        controller.enqueue(chunk);
      },
    }),
  );
  const { status, statusText, headers } = response;
  const bounded = new Response(counted, { status, statusText, headers });
  // A made response has no address of its own; clients resolve links against it.
  Object.defineProperty(bounded, "url", { value: response.url });
  return bounded;
};

const tooLarge = (maxBytes: number): DomainError =>
  new DomainError("response_too_large", `The answer is longer than ${maxBytes} bytes.`, {
    fields: { maxBytes },
  });
