import type { Static, TSchema } from 'typebox';
import { Compile } from 'typebox/compile';
import { type ErrorCode, type Refused, refused } from '../application/refusal.ts';

/** A field of a request: its shape, the rule in words ("must be …"), and the error code where it breaks the rule. */
export type Field<S extends TSchema = TSchema> = {
  readonly schema: S;
  readonly rule: string;
  readonly code: ErrorCode | ((value: unknown) => ErrorCode);
  readonly required: boolean;
  /** An explicit null is a value of its own: it empties what there is. */
  readonly clearable?: true;
};

export type Fields = Readonly<Record<string, Field>>;
type Values<F extends Fields> = {
  readonly [K in keyof F]: F[K] extends Field<infer S> ? Static<S> | null | Unsent<F[K]> : never;
};

type Unsent<F extends Field> = F extends { readonly clearable: true } ? undefined : never;

/**
 * The fields a request may have. What was not sent is null, of a clearable field undefined; what is not named here is
 * ignored.
 */
export type Form<F extends Fields = Fields> = {
  /** In the order in which their faults count. The API reference is made from them. */
  readonly fields: F;
  /** The fields of a JSON body. */
  readBody(body: unknown): { readonly kind: 'fields'; readonly fields: Values<F> } | Refused;
  /** The same of a query string, where numbers and booleans are text. */
  readQuery(query: URLSearchParams): { readonly kind: 'fields'; readonly fields: Values<F> } | Refused;
};

export function required<S extends TSchema>(
  schema: S,
  rule: string,
  code: Field['code'] = 'INVALID_REQUEST',
): Field<S> {
  return { schema, rule, code, required: true };
}

export function optional<S extends TSchema>(
  schema: S,
  rule: string,
  code: Field['code'] = 'INVALID_REQUEST',
): Field<S> {
  return { schema, rule, code, required: false };
}

/** A field that may be sent as null, which is to empty what there is. */
export function clearable<S extends TSchema>(field: Field<S>): Field<S> & { readonly clearable: true } {
  return { ...field, clearable: true };
}

/** What is wrong with a field, and what could be sent instead. */
export type Fault = { readonly code: ErrorCode; readonly sentence: string; readonly alternatives?: readonly object[] };

/** A rule that looks at other fields too: a fault of the field it is named after, in the place of that field. */
export type AcrossRule = (values: Readonly<Record<string, unknown>>) => Fault | null;

/**
 * The fields in the order in which their faults count: the first fault gives the code, `details` names all. A name with a
 * dot is a member of an object in the body (`location.city`); it is looked at where the object is one, and the object is
 * a field of its own before it.
 *
 * @param across rules by the name of the field whose fault they tell; asked where the field by itself has none
 */
export function form<F extends Fields>(fields: F, across: Partial<Record<keyof F & string, AcrossRule>> = {}): Form<F> {
  const checks = Object.entries(fields).map(([name, field]) => {
    const [owner, member] = placeOf(name);
    return { name, owner, member, field, shape: Compile(field.schema) };
  });
  const read = (values: Readonly<Record<string, unknown>>): ReturnType<Form<F>['readBody']> => {
    const faults: Fault[] = [];
    const found: Record<string, unknown> = {};
    for (const { name, owner, member, field } of checks) {
      const value = valueOf(owner, member, values);
      found[name] = value === undefined && !field.clearable ? null : value;
    }
    for (const { name, owner, field, shape } of checks) {
      const value = found[name];
      if (owner !== null && !isObject(found[owner])) continue;
      const fits = value === null || value === undefined ? !field.required : shape.Check(value);
      const fault = fits
        ? across[name]?.(found)
        : { code: codeOf(field, value), sentence: sentence(name, field, value) };
      if (fault !== null && fault !== undefined) faults.push(fault);
    }
    const first = faults[0];
    if (first === undefined) return { kind: 'fields', fields: found as Values<F> };
    const details = faults.map((fault) => fault.sentence).join(' ');
    return refused(first.code, first.sentence, {
      details,
      ...(first.alternatives && { alternatives: first.alternatives }),
    });
  };
  return {
    fields,
    readBody(body) {
      if (isObject(body)) return read(body);
      return refused('INVALID_REQUEST', 'The body must be a JSON object.');
    },
    readQuery(query) {
      const values: Record<string, unknown> = {};
      for (const { name, field } of checks) values[name] = fromText(query.get(name), field.schema);
      return read(values);
    },
  };
}

/** The object that a field is a member of, null for a field of the body itself; and its name there. */
function placeOf(name: string): readonly [owner: string | null, member: string] {
  const dot = name.indexOf('.');
  return dot < 0 ? [null, name] : [name.slice(0, dot), name.slice(dot + 1)];
}

/** What was sent for a field; undefined for nothing. */
function valueOf(owner: string | null, member: string, values: Readonly<Record<string, unknown>>): unknown {
  if (owner === null) return values[member];
  const object = values[owner];
  return isObject(object) ? object[member] : undefined;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function codeOf({ code }: Field, value: unknown): ErrorCode {
  return typeof code === 'function' ? code(value) : code;
}

function sentence(name: string, field: Field, value: unknown): string {
  if (value === null) return `${name} is missing; it must be ${field.rule}.`;
  const shown = JSON.stringify(value);
  return `${name} must be ${field.rule}; it was ${shown.length > 80 ? `${shown.slice(0, 77)}…` : shown}.`;
}

/** A text of a query string as the schema's type; left as text where it does not read as one, so that the rule is named. */
function fromText(text: string | null, schema: TSchema): unknown {
  if (text === null) return null;
  const type = 'type' in schema ? schema.type : undefined;
  if ((type === 'integer' || type === 'number') && /^-?\d+(\.\d+)?$/.test(text)) return Number(text);
  if (type === 'boolean' && (text === 'true' || text === 'false')) return text === 'true';
  return text;
}

/**
 * Unknown members are ignored, but these are known, and changed elsewhere: who sends one believes that it is changed, and
 * would not be told otherwise.
 *
 * @param instead how they are changed
 */
export function withoutMembers<F extends Fields>(names: readonly string[], instead: string, shape: Form<F>): Form<F> {
  return {
    ...shape,
    readBody(body) {
      const sent = names.filter((name) => typeof body === 'object' && body !== null && Object.hasOwn(body, name));
      if (sent.length === 0) return shape.readBody(body);
      return refused('INVALID_REQUEST', `${sent.join(', ')} must be left out: ${instead}.`, {
        details: `What can be changed here: ${Object.keys(shape.fields).join(', ')}.`,
      });
    },
  };
}
