import { describe, expect, it } from "vitest";
import { deriveKeys } from "./keys.ts";

describe("the keys of the control plane", () => {
  it("are the same for ever, so that what is stored stays readable", () => {
    const { accessTokens, liveTickets, sandboxTokens, secretWrapping } = deriveKeys(
      "ab".repeat(32),
    );
    const hex = [accessTokens, liveTickets, secretWrapping].map((key) =>
      Buffer.from(key).toString("hex"),
    );
    expect(new Set([...hex, sandboxTokens]).size).toBe(4);
    expect([...hex, sandboxTokens]).toMatchInlineSnapshot(`
      [
        "ba605e55d574bb8fadfd557794aeef80337a0be20e21a43d6af43f22408e01fa",
        "eb8fae8a82ec7adc852949b93eea2e4ce2b5f11b25cc0ea1795f8bf332a45edc",
        "f7e307dbcb5ee372f5dbcf79dab6770de2c3c33be4b6e56f3e4fd50ac1245f12",
        "dce91bc42c1373b570948ded7c1d504c6ecf278f30bae7fa0b1e39f28047710f",
      ]
    `);
  });

  it("are the same whichever way SECRETS_KEY is written", () => {
    const bytes = Buffer.alloc(32, 0xfb);
    const keys = deriveKeys(bytes.toString("hex"));
    expect(deriveKeys(`${bytes.toString("base64")}\n`)).toEqual(keys);
    expect(deriveKeys(bytes.toString("base64url"))).toEqual(keys);
  });

  it.each(["", "short", "zz".repeat(32), Buffer.alloc(31).toString("base64"), "ab".repeat(33)])(
    "do not come from %j",
    (text) => {
      expect(() => deriveKeys(text)).toThrow(
        expect.objectContaining({ code: "configuration_invalid" }) as Error,
      );
    },
  );
});
