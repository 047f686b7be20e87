import { type TString, Type } from 'typebox';

/** A calendar date, as its schema. */
export function date(description: string): TString {
  return Type.String({ format: 'date', description });
}

/** One of a closed list, as its schema. */
export function oneOf(values: readonly string[], description: string): TString {
  return Type.String({ enum: [...values], description });
}
