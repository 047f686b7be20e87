import { type TNull, type TObject, type TOptional, type TSchema, type TUnion, Type } from 'typebox';
import { Compile } from 'typebox/compile';
import type { ErrorCode } from '../application/refusal.ts';
import { copyOf } from './closed-schema.ts';
import type { Fault } from './refused-early.ts';

/** The error for a field that breaks its schema: the rule in words ("must be …"), and the error code. */
export type Annotation = { readonly rule: string; readonly code: ErrorCode | ((value: unknown) => ErrorCode) };

export function required<S extends TSchema>(schema: S, rule: string, code: Annotation['code'] = 'INVALID_REQUEST'): S {
  return annotated(schema, { rule, code });
}

/** An optional field. Null counts as left out. */
export function optional<S extends TSchema>(
  schema: S,
  rule: string,
  code: Annotation['code'] = 'INVALID_REQUEST',
): ReturnType<typeof Type.Optional<S>> {
  return annotated(Type.Optional(schema), { rule, code });
}

/** The same field, but null is a value: it clears the stored one. */
export function clearable<S extends TSchema>(field: S): TOptional<TUnion<[S, TNull]>> {
  return annotated(Type.Optional(Type.Union([field, Type.Null()])), annotationOf(field));
}

export function reworded<S extends TSchema>(field: S, rule: string): S {
  return annotated(field, { ...annotationOf(field), rule });
}

/** @throws if the field was made without `required` or `optional` */
export function annotationOf(field: TSchema): Annotation {
  if (!isAnnotated(field)) throw new Error(`a field has no rule: ${JSON.stringify(field)}`);
  return field;
}

export function isAnnotated(field: object): field is Annotation {
  return 'rule' in field && 'code' in field;
}

/** Whether null is a value of the field (see `clearable`). */
export function isClearable(field: TSchema): boolean {
  return Type.IsUnion(field) && field.anyOf.some((each) => Type.IsNull(each));
}

/** A copy with the annotation. */
function annotated<S extends TSchema>(schema: S, annotation: Annotation): S {
  const { rule, code } = annotation;
  return Object.assign(copyOf(schema), { rule, code });
}

export type FieldOf = {
  /** `city`, or `location.city` for a member of an object. */
  readonly name: string;
  readonly owner: string;
  readonly member: string;
  readonly field: TSchema;
  readonly check: (value: unknown) => boolean;
};

/** The fields in the order of their faults: an object before its members. */
export function fieldsOf(schema: TObject, owner = ''): readonly FieldOf[] {
  return Object.entries<TSchema>(schema.properties).flatMap(([member, field]) => {
    const inner = membersOf(field);
    const shape = inner === null ? Compile(field) : null;
    const optionally = Type.IsOptional(field);
    const fits = (value: unknown): boolean => (shape === null ? isObject(value) : shape.Check(value));
    const check = (value: unknown): boolean =>
      value === undefined ? optionally : (value === null && isClearable(field)) || fits(value);
    const name = owner === '' ? member : `${owner}.${member}`;
    return [{ name, owner, member, field, check }, ...(inner === null ? [] : fieldsOf(inner, member))];
  });
}

/** The object schema of a field with annotated members; null for any other field. */
export function membersOf(field: TSchema): TObject | null {
  const inner = Type.IsUnion(field) && isClearable(field) ? field.anyOf[0] : field;
  return inner !== undefined && Type.IsObject(inner) && Object.values(inner.properties).some(isAnnotated)
    ? inner
    : null;
}

export function faultOf(name: string, field: TSchema, value: unknown): Fault {
  const { rule } = annotationOf(field);
  const found = codeOf(field, value);
  if (value === undefined || value === null)
    return { code: found, sentence: `${name} is missing; it must be ${rule}.` };
  const shown = excerpt(value);
  const quoted = 'type' in field && field.type === 'boolean' && /^"(true|false)"$/i.test(shown);
  return { code: found, sentence: `${name} must be ${rule}${quoted ? ', without quotes' : ''}; it was ${shown}.` };
}

export function codeOf(field: TSchema, value: unknown): ErrorCode {
  const { code } = annotationOf(field);
  return typeof code === 'function' ? code(value) : code;
}

/** A value as JSON, for a sentence. */
export function excerpt(value: unknown): string {
  const shown = JSON.stringify(value);
  return shown.length > 80 ? `${shown.slice(0, 77)}…` : shown;
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
