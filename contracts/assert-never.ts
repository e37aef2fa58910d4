/** For the last branch of an exhaustive switch: compiles only when every case was handled. */
export const assertNever = (value: never): never => {
  throw new TypeError(`Unexpected value: ${JSON.stringify(value)}`);
};
