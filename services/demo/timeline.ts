/** Tells people what the demo does, as it does it. */
import { styleText } from "node:util";

export interface Timeline {
  /** A step that has happened. */
  step(text: string): void;
  /** Something that the agent said or did. */
  agent(text: string): void;
}

/** Writes one line per entry, with the seconds since the start. */
export const createTimeline = (write: (line: string) => void): Timeline => {
  const startedAt = performance.now();
  const seconds = (): string => ((performance.now() - startedAt) / 1_000).toFixed(1).padStart(6);
  return {
    step: (text) => write(`${styleText("dim", `${seconds()}s`)}  ${text}`),
    agent: (text) => write(`${styleText("dim", `${seconds()}s`)}    ${styleText("cyan", text)}`),
  };
};
