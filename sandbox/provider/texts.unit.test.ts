import { execFileSync } from "node:child_process";
import fc from "fast-check";
import { expect, test } from "vitest";
import { DomainError } from "#contracts/errors";
import { capOutput, outputCap } from "./cap-output.ts";
import { asProvider, SandboxProviderError } from "./error.ts";
import { shellCommand, shellEscape } from "./shell-escape.ts";

test("a shell gives back exactly the words that were escaped", () => {
  const words = [
    "",
    "it's",
    "$HOME `id` $(id)",
    "a\nb",
    "*",
    "-n",
    "~",
    "ä€",
    "a;b|c&d",
    "\\",
    "#",
  ];
  const back = execFileSync("sh", ["-c", shellCommand(["printf", "%s\\0", ...words])], {
    encoding: "utf8",
  });
  expect(back.split("\0").slice(0, -1)).toEqual(words);
  expect(() => shellEscape("a\0b")).toThrow(DomainError);
});

test("output is capped in bytes, keeps both ends, and cuts no character", () => {
  expect(capOutput("short")).toBe("short");
  fc.assert(
    fc.property(
      fc.string({ unit: "grapheme", minLength: 200, maxLength: 2_000 }),
      fc.integer({ min: 100, max: 400 }),
      (text, cap) => {
        const size = Buffer.byteLength(text);
        const capped = capOutput(text, cap);
        if (size <= cap) return expect(capped).toBe(text);
        expect(Buffer.byteLength(capped)).toBeLessThanOrEqual(cap);
        const [, head, omitted, tail] =
          /^(.*)\n\[\.\.\. (\d+) bytes left out \.\.\.\]\n(.*)$/su.exec(capped) ?? ["", "", "", ""];
        expect(text.startsWith(head ?? "-")).toBe(true);
        expect(text.endsWith(tail ?? "-")).toBe(true);
        expect(Buffer.byteLength(`${head}${tail}`) + Number(omitted)).toBe(size);
      },
    ),
  );
  const long = `begin${"x".repeat(10 * outputCap)}end`;
  expect(capOutput(long)).toMatch(/^begin.*end$/s);
});

test("a provider's error names provider and operation, and no secret in any part", async () => {
  const jwt = `eyJhbGciOiJIUzI1NiJ9.${"a".repeat(30)}.${"b".repeat(40)}`;
  const root = new Error("X-API-KEY: e2b_0123456789abcdef refused");
  const original = new Error(`401 for Bearer ${jwt} and my-own-secret`, { cause: root });
  const error = await asProvider(
    { provider: "e2b", operation: "ensureSandbox", secrets: ["my-own-secret"] },
    () => Promise.reject(original),
  ).catch((thrown: unknown) => thrown as SandboxProviderError);
  expect(error).toBeInstanceOf(SandboxProviderError);
  expect(error).toMatchObject({
    code: "sandbox_provider_failed",
    fields: { provider: "e2b", operation: "ensureSandbox" },
  });
  const cause = (error as Error).cause as Error;
  const everything = [(error as Error).message, (error as Error).stack, cause.message, cause.stack];
  for (const secret of [jwt, "my-own-secret", "e2b_0123456789abcdef"]) {
    expect(everything.join()).not.toContain(secret);
  }
  expect(cause.message).toContain("refused");
});

test("a coded error keeps its code and fields on its way out of a provider", async () => {
  const original = new DomainError("sandbox_not_found", "Gone.", { fields: { sessionId: "s" } });
  const failure = { provider: "local", operation: "execCommand" };
  await expect(asProvider(failure, () => Promise.reject(original))).rejects.toMatchObject({
    code: "sandbox_not_found",
    message: "Gone.",
    fields: { sessionId: "s", provider: "local", operation: "execCommand" },
  });
});
