/** Where things are inside a sandbox that both sides have to know. */

/** The values that people have given for this sandbox, as one JSON object. */
export const environmentFile = "/tmp/.proliferate_env.json";
