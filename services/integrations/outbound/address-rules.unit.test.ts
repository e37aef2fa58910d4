import fc from "fast-check";
import { expect, it } from "vitest";
import { addressRules } from "./address-rules.ts";

const rules = addressRules();

it.each([
  "127.0.0.1",
  "127.8.9.1",
  "0.0.0.0",
  "10.1.2.3",
  "172.16.0.1",
  "172.31.255.255",
  "192.168.1.1",
  "100.64.0.1",
  "169.254.169.254",
  "224.0.0.1",
  "255.255.255.255",
  "198.18.0.1",
  "::",
  "::1",
  "::ffff:127.0.0.1",
  "::ffff:169.254.169.254",
  "::ffff:7f00:1",
  "64:ff9b::7f00:1",
  "2002:7f00:1::",
  "fe80::1",
  "fe80::1%eth0",
  "fc00::1",
  "fd00:ec2::254",
  "ff02::1",
  "not an address",
  "",
])("refuses %s", (address) => {
  expect(rules.allows(address)).toBe(false);
});

it.each(["8.8.8.8", "172.32.0.1", "192.167.255.255", "::ffff:8.8.8.8", "2606:4700:4700::1111"])(
  "allows %s",
  (address) => {
    expect(rules.allows(address)).toBe(true);
  },
);

it("allows the networks that are named, and no others", () => {
  const some = addressRules(["10.2.0.0/16", "fd12::/16"]);
  expect(some.allows("10.2.255.1")).toBe(true);
  expect(some.allows("::ffff:10.2.0.1")).toBe(true);
  expect(some.allows("10.3.0.1")).toBe(false);
  expect(some.allows("fd12::5")).toBe(true);
  expect(some.allows("fd13::5")).toBe(false);
  expect(() => addressRules(["10.2.0.0"])).toThrow(TypeError);
});

it("judges every IPv4 address alike in all of its forms", () => {
  fc.assert(
    fc.property(fc.ipV4(), (address) => {
      expect(rules.allows(`::ffff:${address}`)).toBe(rules.allows(address));
    }),
  );
});
