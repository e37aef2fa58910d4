/** The largest prompt, in bytes of UTF-8. */
export const maxPromptBytes = 100 * 1024;

/** The longest system prompt of a session's own, in characters. */
export const maxSystemPromptLength = 20_000;

/** The longest title, in characters. */
export const maxTitleLength = 200;
