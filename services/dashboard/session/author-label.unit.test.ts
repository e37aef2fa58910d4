import { expect, it } from "vitest";
import { newId } from "#contracts/ids";
import { authorLabel } from "./author-label.ts";

const reader = { id: newId("user") };
const userId = newId("user");

it("calls a prompt's author by name, the reader You, and says so where nobody is known", () => {
  expect(authorLabel({ kind: "user", userId, name: "Ada" }, reader)).toBe("Ada");
  expect(authorLabel({ kind: "user", userId: reader.id, name: "Grace" }, reader)).toBe("You");
  expect(authorLabel({ kind: "user", userId, name: null }, reader)).toBe("Somebody");
  expect(authorLabel({ kind: "automation", runId: newId("run") }, reader)).toBe("Automation");
  expect(authorLabel(undefined, reader)).toBe("Somebody");
});
