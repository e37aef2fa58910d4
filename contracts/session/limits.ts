/** The largest prompt, in bytes of UTF-8. */
export const maxPromptBytes = 100 * 1024;

/** The longest system prompt of a session's own, in characters. */
export const maxSystemPromptLength = 20_000;

/** The longest title, in characters. */
export const maxTitleLength = 200;

/** How many environment variables people may give a session. */
export const maxEnvVariables = 100;

/** The longest value of one, in characters. */
export const maxEnvValueLength = 32 * 1024;

/** How many prompts of a session may be open: the one that is answered, and those that wait. */
export const maxOpenPrompts = 20;

/** The longest time, in days, after which a session that nobody uses may be deleted. */
export const maxAutoDeleteDays = 3_650;
