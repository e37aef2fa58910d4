import { expect, it } from "vitest";
import { findOwnArchive, parseDeb822Format, parseListFormat } from "./apt-sources.ts";

it("reads the stanzas of the newer format", () => {
  const text = [
    "Types: deb deb-src",
    "# a comment between fields",
    "URIs: http://one.test/debian http://two.test/debian",
    "Suites: bookworm bookworm-updates",
    "Components: main contrib",
    "Signed-By: /usr/share/keyrings/archive.gpg",
    "",
    "Types: deb-src",
    "URIs: http://sources.test/debian",
    "Suites: bookworm",
    "Components: main",
    "",
    "Enabled: no",
    "Types: deb",
    "URIs: http://off.test/debian",
    "Suites: bookworm",
    "Components: main",
  ].join("\n");
  const common = {
    suites: ["bookworm", "bookworm-updates"],
    components: ["main", "contrib"],
    signedBy: "/usr/share/keyrings/archive.gpg",
  };
  expect(parseDeb822Format(text)).toEqual([
    { uri: "http://one.test/debian", ...common },
    { uri: "http://two.test/debian", ...common },
  ]);
});

it("reads the lines of the older format", () => {
  const text = [
    "# deb http://off.test/ubuntu jammy main",
    "deb http://archive.test/ubuntu jammy main universe # the archive",
    "deb [arch=amd64 signed-by=/k.gpg] http://other.test jammy stable",
    "deb-src http://archive.test/ubuntu jammy main",
  ].join("\n");
  expect(parseListFormat(text)).toEqual([
    { uri: "http://archive.test/ubuntu", suites: ["jammy"], components: ["main", "universe"] },
    { uri: "http://other.test", suites: ["jammy"], components: ["stable"], signedBy: "/k.gpg" },
  ]);
});

it("tells the distribution's archive from its updates and from other people's packages", () => {
  const source = (uri: string, suite: string, component: string) => ({
    uri,
    suites: [suite],
    components: [component],
  });
  const own = source("http://archive.test", "bookworm", "main");
  const others = [
    source("http://security.test", "bookworm-security", "main"),
    source("http://vendor.test", "bookworm", "stable"),
  ];
  expect(findOwnArchive([...others, own], "bookworm", "main")).toBe(own);
  expect(findOwnArchive(others, "bookworm", "main")).toBeUndefined();
});
