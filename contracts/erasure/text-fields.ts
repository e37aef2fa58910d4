/**
 * The fields of an event that hold text: taking them out, putting them back, and what is put there
 * instead once they were erased. Pure; what is given is not changed.
 */
import type { StoredEvent } from "../commit.ts";
import type { EventDefinition } from "../define-event.ts";
import { erasedText } from "./markers.ts";

type Data = StoredEvent["data"];

export interface TakenText {
  /** The data without the fields. */
  readonly data: Data;
  /** The paths of the fields that were there, and what they held, in the same order. */
  readonly fields: readonly string[];
  readonly values: readonly unknown[];
}

/** Takes the text out of an event's data. A field that is null or not there holds none, and stays. */
export const takeText = ({ erased }: EventDefinition, data: Data): TakenText => {
  const fields: string[] = [];
  const values: unknown[] = [];
  let rest = data;
  for (const path of Object.keys(erased)) {
    const value = valueAt(data, path.split("."));
    if (value === undefined || value === null) continue;
    fields.push(path);
    values.push(value);
    rest = without(rest, path.split("."));
  }
  return { data: rest, fields, values };
};

/** Puts text back to where it was taken from. */
export const putText = ({ data, fields, values }: TakenText): Data =>
  fields.reduce((rest, path, index) => withValue(rest, path.split("."), values[index]), data);

/** What stands in the place of these fields of an event once they were erased. */
export const markersOf = (
  { erased }: EventDefinition,
  fields: readonly string[],
): readonly unknown[] =>
  fields.map((path) => (Object.hasOwn(erased, path) ? erased[path] : erasedText));

const isObject = (value: unknown): value is Data =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const fieldOf = (value: unknown, name: string): unknown =>
  isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;

const valueAt = (data: Data, path: readonly string[]): unknown =>
  path.reduce<unknown>(fieldOf, data);

const without = (data: Data, [name = "", ...path]: readonly string[]): Data => {
  const { [name]: inner, ...rest } = data;
  return path.length === 0 ? rest : { ...rest, [name]: without(inner as Data, path) };
};

const withValue = (data: Data, [name = "", ...path]: readonly string[], value: unknown): Data => {
  if (path.length === 0) return { ...data, [name]: value };
  const inner = fieldOf(data, name);
  return { ...data, [name]: withValue(isObject(inner) ? inner : {}, path, value) };
};
