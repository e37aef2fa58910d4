/** Environment variables inside a sandbox that both sides have to know. */

/** Names the file with the values that people have given for this sandbox: one JSON object. */
export const envFileVariable = "PROLIFERATE_ENV_FILE";
