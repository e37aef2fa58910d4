/**
 * Lines of an env file that shells (`set -a; . file`) and the usual dotenv readers take for the same value.
 * They differ in escapes, so none is written.
 */

/** Null when there is no such line for this value. */
export const dotenvLine = (name: string, value: string): string | null => {
  const quoted = quote(value);
  return quoted === null ? null : `${name}=${quoted}\n`;
};

const quote = (value: string): string | null => {
  if (/^[\w.,:@%+/=-]*$/.test(value)) return value;
  // Between single quotes everything stands for itself.
  if (!/['\0\r]/.test(value)) return `'${value}'`;
  if (!/["$`\\!\0\r]/.test(value)) return `"${value}"`;
  return null;
};
