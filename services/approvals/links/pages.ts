/** The pages behind a link, in plain HTML: they work wherever a mail program opens them. */
import type { Decision } from "../decide.ts";

/** Whatever agents and people have written is shown as text. */
const escape = (text: string): string =>
  text.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);

const page = (title: string, body: string): string => `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex"><title>${escape(title)}</title></head>
<body><main><h1>${escape(title)}</h1>
${body}
</main></body>
</html>
`;

export interface AskedAction {
  readonly integration: string;
  readonly action: string;
  readonly params: Readonly<Record<string, unknown>>;
}

/** Asks. The form posts to the address of the page itself, which holds the token. */
export const confirmPage = (decision: Decision, { integration, action, params }: AskedAction) =>
  page(
    decision === "approve" ? "Let this action run?" : "Refuse this action?",
    `<p>An agent asks for <strong>${escape(`${integration}/${action}`)}</strong> with:</p>
<pre>${escape(JSON.stringify(params, null, 2))}</pre>
<form method="post"><button type="submit">${decision === "approve" ? "Approve" : "Deny"}</button></form>`,
  );

export const decidedPage = (decision: Decision): string =>
  page(
    decision === "approve" ? "Approved" : "Denied",
    "<p>Your decision is recorded. You can close this page.</p>",
  );

export const problemPage = (message: string): string =>
  page("This link cannot be used", `<p>${escape(message)}</p>`);
