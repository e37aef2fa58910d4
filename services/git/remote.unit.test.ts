import { describe, expect, test } from "vitest";
import { githubRepositoryOf } from "./remote.ts";

const shop = { owner: "acme", repo: "shop" };

describe("a credential is for the repositories of its own host", () => {
  test.each([
    ["https://github.com/acme/shop.git", null, shop],
    ["https://github.com/acme/shop", null, shop],
    ["https://github.com/acme/shop/", "https://api.github.com", shop],
    ["https://git.acme.example/acme/shop.git", "https://git.acme.example/api/v3", shop],
    ["https://github.com/acme/shop.git", "https://git.acme.example/api/v3", null],
    ["https://git.acme.example/acme/shop.git", null, null],
  ])("%s with the API at %s", (url, apiUrl, found) => {
    expect(githubRepositoryOf(url, apiUrl)).toEqual(found);
  });

  test.each([
    "https://github.com.evil.example/acme/shop.git",
    "https://evil.example/github.com/acme/shop.git",
    "https://github.com:8443/acme/shop.git",
    "http://github.com/acme/shop.git",
    "ssh://git@github.com/acme/shop.git",
    "git@github.com:acme/shop.git",
    "/srv/git/acme/shop.git",
    "https://github.com/acme",
    "https://github.com/acme/shop/tree/main",
  ])("not for %s", (url) => {
    expect(githubRepositoryOf(url, null)).toBeNull();
  });
});
