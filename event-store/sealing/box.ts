/** Authenticated encryption: AES-256-GCM with a random nonce, bound to the place where the text stands. */
import { createCipheriv, createDecipheriv, type KeyObject, randomFillSync } from "node:crypto";

const algorithm = "aes-256-gcm";
const nonceBytes = 12;
const tagBytes = 16;

/**
 * Nonces are drawn from the system many at a time, which is several times faster. Random ones are good for
 * 2^32 boxes of one key (NIST SP 800-38D, 8.3); a session makes some thousands.
 */
const randomBytes = Buffer.alloc(1_024 * nonceBytes);
let usedBytes = randomBytes.length;

const newNonce = (): Buffer => {
  if (usedBytes === randomBytes.length) {
    randomFillSync(randomBytes);
    usedBytes = 0;
  }
  usedBytes += nonceBytes;
  return randomBytes.subarray(usedBytes - nonceBytes, usedBytes);
};

/** Nonce, ciphertext and tag in base64. `place` must be given again to open it. */
export const sealBox = (secret: KeyObject, place: string, text: string): string => {
  const nonce = newNonce();
  const cipher = createCipheriv(algorithm, secret, nonce).setAAD(Buffer.from(place));
  const ciphertext = cipher.update(text, "utf8");
  return Buffer.concat([nonce, ciphertext, cipher.final(), cipher.getAuthTag()]).toString("base64");
};

/** @throws Error when the key or the place is another one, or a byte was changed */
export const openBox = (secret: KeyObject, place: string, box: string): string => {
  const bytes = Buffer.from(box, "base64");
  const decipher = createDecipheriv(algorithm, secret, bytes.subarray(0, nonceBytes), {
    authTagLength: tagBytes,
  })
    .setAAD(Buffer.from(place))
    .setAuthTag(bytes.subarray(-tagBytes));
  const text = decipher.update(bytes.subarray(nonceBytes, -tagBytes)).toString("utf8");
  // Nothing more comes of it but the judgement whether every byte is right.
  decipher.final();
  return text;
};
