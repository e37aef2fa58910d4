import { useState } from "react";

export interface Pages<T> {
  readonly items: readonly T[];
  /** From 0. */
  readonly page: number;
  readonly count: number;
  readonly turnTo: (page: number) => void;
}

/** A long list, a page at a time. When it grows shorter, its last page is shown. */
export const usePages = <T>(all: readonly T[], size: number): Pages<T> => {
  const [wanted, turnTo] = useState(0);
  const count = Math.max(1, Math.ceil(all.length / size));
  const page = Math.min(wanted, count - 1);
  return { items: all.slice(page * size, (page + 1) * size), page, count, turnTo };
};
