/** The part of a pino logger that this folder uses. */
export interface Log {
  readonly info: (fields: object, message: string) => void;
  readonly warn: (fields: object, message: string) => void;
  readonly error: (fields: object, message: string) => void;
}
