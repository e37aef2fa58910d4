/** A table whose rows are printed as they come, so the widths of its columns are given. */
import { printable } from "./printable.ts";

export interface Column<Row> {
  readonly title: string;
  /** In characters; longer cells push what follows to the right rather than being cut. */
  readonly width: number;
  readonly text: (row: Row) => string;
}

/** Answers a function that prints one row, and the titles before the first. */
export const tablePrinter = <Row>(
  print: (line: string) => void,
  columns: readonly Column<Row>[],
): ((row: Row) => void) => {
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, index) => cell.padEnd(columns[index]?.width ?? 0))
      .join("  ")
      .trimEnd();
  let titled = false;
  return (row) => {
    if (!titled) print(line(columns.map(({ title }) => title)));
    titled = true;
    print(line(columns.map(({ text }) => printable(text(row)))));
  };
};
