import { type Static, type TProperties, type TSchema, Type } from 'typebox';
import { Compile } from 'typebox/compile';
import { type ErrorCode, type Refused, refused } from '../application/refusal.ts';

/** A field of a request: its shape, the rule in words ("must be …"), and the error code where it breaks the rule. */
export type Field<S extends TSchema = TSchema> = {
  readonly schema: S;
  readonly rule: string;
  readonly code: ErrorCode | ((value: unknown) => ErrorCode);
  readonly required: boolean;
};

type Fields = Readonly<Record<string, Field>>;
type Values<F extends Fields> = {
  readonly [K in keyof F]: F[K] extends Field<infer S> ? Static<S> | null : never;
};

/** The fields a request may have. What was not sent is null; what is not named here is ignored. */
export type Form<F extends Fields = Fields> = {
  /** For the API reference. */
  readonly schema: TSchema;
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

/** The fields in the order in which their faults count: the first fault gives the code, `details` names all. */
export function form<F extends Fields>(fields: F): Form<F> {
  const checks = Object.entries(fields).map(([name, field]) => ({ name, field, shape: Compile(field.schema) }));
  const properties: TProperties = {};
  for (const { name, field } of checks) {
    properties[name] = field.required ? field.schema : Type.Optional(Type.Union([field.schema, Type.Null()]));
  }
  const read = (values: Readonly<Record<string, unknown>>): ReturnType<Form<F>['readBody']> => {
    const faults: { name: string; field: Field; value: unknown }[] = [];
    const found: Record<string, unknown> = {};
    for (const { name, field, shape } of checks) {
      const value = values[name] ?? null;
      found[name] = value;
      const fits = value === null ? !field.required : shape.Check(value);
      if (!fits) faults.push({ name, field, value });
    }
    const first = faults[0];
    if (first === undefined) return { kind: 'fields', fields: found as Values<F> };
    const code = typeof first.field.code === 'function' ? first.field.code(first.value) : first.field.code;
    return refused(code, sentence(first), { details: faults.map(sentence).join(' ') });
  };
  return {
    schema: Type.Object(properties),
    readBody(body) {
      if (typeof body === 'object' && body !== null && !Array.isArray(body))
        return read(body as Record<string, unknown>);
      return refused('INVALID_REQUEST', 'The body must be a JSON object.');
    },
    readQuery(query) {
      const values: Record<string, unknown> = {};
      for (const { name, field } of checks) values[name] = fromText(query.get(name), field.schema);
      return read(values);
    },
  };
}

function sentence({ name, field, value }: { name: string; field: Field; value: unknown }): string {
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
