import { expect, it } from "vitest";
import { takeTokenFromFragment } from "./sign-in-link.ts";

const pageAt = (address: string) => {
  const { hash, pathname, search } = new URL(address, "http://dashboard");
  const replaced: unknown[] = [];
  const page = {
    location: { hash, pathname, search },
    history: {
      state: null,
      replaceState: (_: unknown, __: string, url: string) => replaced.push(url),
    },
  };
  return { page: page as unknown as Window, replaced };
};

it("takes the token and leaves nothing of it in the address", () => {
  const { page, replaced } = pageAt("/sessions/x?tab=1#token=a%2Bb-c");
  expect(takeTokenFromFragment(page)).toBe("a+b-c");
  expect(replaced).toEqual(["/sessions/x?tab=1"]);
});

it("leaves every other fragment alone", () => {
  const { page, replaced } = pageAt("/#content");
  expect(takeTokenFromFragment(page)).toBeNull();
  expect(replaced).toEqual([]);
});
