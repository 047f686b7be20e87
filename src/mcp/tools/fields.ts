import { type TString, Type } from 'typebox';

/** The schema of a calendar date. */
export function date(description: string): TString {
  return Type.String({ format: 'date', description });
}

/** The schema of a cancellation policy in an answer. */
export const policy = Type.Object({
  free_until_hours: Type.Number({
    description: 'Cancellation is free until this many hours before opening on the date.',
  }),
  percent_kept: Type.Number({ description: 'Percentage of the price that is kept after that.' }),
  text: Type.String(),
});

/** The schema of a closed list of values. */
export function oneOf(values: readonly string[], description: string): TString {
  return Type.String({ enum: [...values], description });
}
