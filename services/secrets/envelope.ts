/**
 * Envelope encryption: each secret has a random key of its own, which is stored with it, encrypted with the
 * wrapping key. Both layers are AES-256-GCM and bound to what the secret belongs to, so a row that was
 * copied to another organisation or name does not open.
 */
import { createCipheriv, createDecipheriv, createHash, randomBytes } from "node:crypto";

const algorithm = "aes-256-gcm";
const nonceBytes = 12;
const tagBytes = 16;
const dataKeyBytes = 32;

export interface SealedSecret {
  /** Which wrapping key opens it. */
  readonly keyId: string;
  readonly wrappedKey: Buffer;
  readonly ciphertext: Buffer;
}

/** Names a wrapping key without telling anything of it. */
export const keyIdOf = (wrappingKey: Uint8Array): string =>
  createHash("sha256").update("key-id").update(wrappingKey).digest("hex").slice(0, 16);

/** @param context what the secret belongs to; opening needs the same */
export const seal = (wrappingKey: Uint8Array, context: string, value: string): SealedSecret => {
  const dataKey = randomBytes(dataKeyBytes);
  return {
    keyId: keyIdOf(wrappingKey),
    wrappedKey: encrypt(wrappingKey, `key:${context}`, dataKey),
    ciphertext: encrypt(dataKey, `value:${context}`, Buffer.from(value, "utf8")),
  };
};

/** @throws Error when the key or the context is another one, or when a byte was changed */
export const open = (wrappingKey: Uint8Array, context: string, sealed: SealedSecret): string => {
  const dataKey = decrypt(wrappingKey, `key:${context}`, sealed.wrappedKey);
  return decrypt(dataKey, `value:${context}`, sealed.ciphertext).toString("utf8");
};

/** Nonce, ciphertext and tag, one after the other. */
export const encrypt = (key: Uint8Array, context: string, plain: Buffer): Buffer => {
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv(algorithm, key, nonce).setAAD(Buffer.from(context));
  return Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
};

/** @throws Error when the key or the context is another one, or when a byte was changed */
export const decrypt = (key: Uint8Array, context: string, sealed: Buffer): Buffer => {
  const decipher = createDecipheriv(algorithm, key, sealed.subarray(0, nonceBytes), {
    authTagLength: tagBytes,
  })
    .setAAD(Buffer.from(context))
    .setAuthTag(sealed.subarray(-tagBytes));
  return Buffer.concat([decipher.update(sealed.subarray(nonceBytes, -tagBytes)), decipher.final()]);
};
