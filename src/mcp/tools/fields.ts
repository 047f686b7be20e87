import { type TString, Type } from 'typebox';

/** The schema of a calendar date. */
export function date(description: string): TString {
  return Type.String({ format: 'date', description });
}

/** The schema of a closed list of values. */
export function oneOf(values: readonly string[], description: string): TString {
  return Type.String({ enum: [...values], description });
}
