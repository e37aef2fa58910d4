/** The largest prompt, in bytes of UTF-8. */
export const maxPromptBytes = 100 * 1024;

/** The longest title, in characters. */
export const maxTitleLength = 200;
