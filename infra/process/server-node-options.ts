/**
 * Options of Node for every process that serves. The door of `npm start` and the image of `docker-compose.yml`
 * have them written out, since both run before there is any TypeScript; a test holds them together.
 */
export const serverNodeOptions: readonly string[] = [
  // V8 begins with young generations of 1 MB and makes them smaller again when little happens, so that what is
  // needed for one request only grows old and is collected dearly: at 500 prompts a second that costs a sixth
  // of the CPU, and stalls of 20 to 50 ms. In MB; it is what V8 would grow to by itself at most.
  "--min-semi-space-size=16",
];
