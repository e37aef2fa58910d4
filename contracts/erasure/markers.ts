/**
 * What stands where text was that has been erased: fixed values of the right type, the same wherever they
 * are read, so that a read model that was built anew says what the old one says.
 */
import type { TextPart } from "../transcript/message.ts";

export const erasedText = "[erased]";

export const erasedParts: readonly [TextPart] = [{ kind: "text", id: "erased", text: erasedText }];

/** Matches nothing: an empty filter would match every delivery. */
export const erasedFilter: Readonly<Record<string, string>> = { [erasedText]: erasedText };
