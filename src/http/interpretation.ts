import { type TSchema, Type } from 'typebox';
import { Compile } from 'typebox/compile';
import { copyOf } from './closed-schema.ts';
import type { Fault } from './refused-early.ts';

/**
 * The values that were understood differently from how they were written, by field path (`user_profile.travel_type`).
 */
export type Interpreted = Readonly<Record<string, { readonly given: unknown; readonly taken: unknown }>>;

/** The members of the request: those before the field in the schema as they were understood, the others as sent. */
type Values = Readonly<Record<string, unknown>>;

type Spelling = {
  /**
   * Called only with a value that breaks the field's schema. Returns the value that is meant, which the schema allows;
   * undefined if the value means nothing.
   */
  readonly take: (value: unknown, values: Values) => unknown;
  readonly fits: (value: unknown) => boolean;
  /** The fault of a value that is not understood; null: the sentence of the field's rule. */
  readonly fault?: (value: unknown, values: Values) => Fault | null;
};

/**
 * A field that understands more spellings than the one that its schema allows. `data.interpreted` of the answer shows
 * how they were understood. Requests in the spelling of the schema have no extra cost.
 */
export function understood<S extends TSchema>(field: S, take: Spelling['take'], fault?: Spelling['fault']): S {
  const shape = Compile(field);
  const fits = (value: unknown): boolean => shape.Check(value);
  return Object.assign(copyOf(field), { spelling: { take, fits, ...(fault === undefined ? {} : { fault }) } });
}

export function spellingOf(field: TSchema): Spelling | null {
  // Only `understood` sets it.
  return 'spelling' in field ? (field.spelling as Spelling) : null;
}

/**
 * Converts digits to a number (`"2"`, `"12.5"`), a name in any case, with hyphens or spaces for `_`, to the name in the
 * schema's list, and in a query `True` to true. Returns any other value unchanged.
 */
export function takenBy(schema: TSchema, value: unknown, kind: 'field' | 'parameter'): unknown {
  if (typeof value !== 'string') return value;
  const type = 'type' in schema ? schema.type : undefined;
  if (type === 'integer') return /^-?\d{1,15}$/.test(value) ? Number(value) : value;
  if (type === 'number') return /^-?\d{1,15}(\.\d{1,15})?$/.test(value) ? Number(value) : value;
  // In a body, a text in place of a boolean may mean another field: it is refused.
  if (type === 'boolean' && kind === 'parameter' && /^(true|false)$/i.test(value))
    return value.toLowerCase() === 'true';
  const names = namesOf(schema);
  if (names === null || names.includes(value)) return value;
  const [name, ...others] = names.filter((each) => folded(each) === folded(value));
  return name === undefined || others.length > 0 ? value : name;
}

function namesOf(schema: TSchema): readonly string[] | null {
  if (Type.IsEnum(schema)) return schema.enum.filter((each) => typeof each === 'string');
  if (Type.IsLiteral(schema)) return typeof schema.const === 'string' ? [schema.const] : null;
  if (Type.IsUnion(schema)) return schema.anyOf.flatMap((each) => namesOf(each) ?? []);
  return null;
}

function folded(name: string): string {
  return name.toLowerCase().replace(/[-\s]/g, '_');
}
