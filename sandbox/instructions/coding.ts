import type { Mode } from "./mode.ts";

export const codingMode: Mode = {
  guidance: `# How to work

Read before you change. Keep changes small and in the style that is there. Run the tests that cover what
you changed, and say plainly what you did and what you could not do. When something took long to set up, the
tool \`save_snapshot\` keeps the sandbox as it is for later sessions.`,
  demands: null,
};
