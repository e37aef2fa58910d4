import type { ReturnedAuthorization } from "#contracts/http/connectors";

/**
 * A page that goes on to `path` by itself. A browser that another site sends here leaves our cookie out; it
 * sends it when a page of ours goes on, so it is known there who has come back.
 */
export const returnPage = (path: string, returned: ReturnedAuthorization): string => {
  const given = Object.entries(returned).filter((entry): entry is [string, string] => !!entry[1]);
  const next = escaped(`${path}?${new URLSearchParams(given).toString()}`);
  return [
    "<!doctype html>",
    '<html lang="en">',
    '<meta charset="utf-8">',
    `<meta http-equiv="refresh" content="0;url=${next}">`,
    "<title>Authorization</title>",
    `<p><a href="${next}">Continue</a></p>`,
    "</html>",
  ].join("\n");
};

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};
const escaped = (text: string): string =>
  text.replaceAll(/[&<>"']/g, (sign) => entities[sign] ?? "");
