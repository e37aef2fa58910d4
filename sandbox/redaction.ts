/** Takes secrets out of text that is about to be logged, stored or shown. */

const mask = "[redacted]";
/** Shorter values are not secrets, and masking them would eat ordinary words. */
const shortestSecret = 6;

/** What secrets look like when nobody has named them. */
const shapes: readonly (readonly [RegExp, string])[] = [
  [/(\b[a-z][a-z0-9+.-]*:\/\/)[^\s/@]+@/gi, `$1${mask}@`],
  [/\b(Bearer|Basic)\s+[\w.~+/=-]{6,}/gi, `$1 ${mask}`],
  [/-----BEGIN [A-Z ]*PRIVATE KEY-----[^]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g, mask],
  [/\b(?:sbx|svc)1\.[\w-]+\.[\w-]+/g, mask],
  [/\bsk-[\w-]{8,}/g, mask],
  [/\bgh[pousr]_\w{8,}/g, mask],
  [/\bgithub_pat_\w{8,}/g, mask],
  [/\be2b_\w{8,}/g, mask],
  [/\b(ak|as)-[A-Za-z0-9]{12,}/g, mask],
  [/\b(AKIA|ASIA)[A-Z0-9]{12,}/g, mask],
  [/\bx(?:ox[abeoprs]|app)-[\w-]{8,}/g, mask],
  [/\blin_(?:api|oauth)_\w{8,}/g, mask],
  [/\bsntry[su]_[\w+/=-]{8,}/g, mask],
  [/\bphx_\w{8,}/g, mask],
  [/\bglpat-[\w-]{8,}/g, mask],
  [/\b[rs]k_live_\w{8,}/g, mask],
  // A JSON web token: three parts, the first of which is an object in base64url.
  [/\beyJ[\w-]{4,}\.[\w-]+\.[\w-]*/g, mask],
  // Something that is called a key or a token, in a header, an assignment or JSON.
  [
    /\b((?:[\w-]*[-_])?(?:api[-_]?key|access[-_]?key|secret|token|password|passwd)"?\s*[:=]\s*"?)[^\s"',;&]{6,}/gi,
    `$1${mask}`,
  ],
];

/**
 * @param text what a tool, a provider or an agent said
 * @param secrets values that are known to be secret in this place
 */
export const redact = (text: string, secrets: readonly string[] = []): string => {
  const known = secrets.filter((secret) => secret.length >= shortestSecret);
  const withoutKnown = known.reduce((rest, secret) => rest.replaceAll(secret, mask), text);
  return shapes.reduce(
    (rest, [shape, replacement]) => rest.replace(shape, replacement),
    withoutKnown,
  );
};
