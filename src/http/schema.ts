import {
  type Static,
  type TNull,
  type TObject,
  type TOptional,
  type TSchema,
  type TString,
  type TUnion,
  Type,
} from 'typebox';
import { Compile } from 'typebox/compile';
import { Clean } from 'typebox/value';
import { type ErrorCode, refused } from '../application/refusal.ts';
import { RefusedEarly } from './refused-early.ts';

/**
 * A TypeBox 1.x schema as a Standard Schema, with which Elysia validates requests (docs/decisions/0045). For an invalid
 * request, `validate` throws `RefusedEarly`: from `issues`, Elysia would build an error with a text that nobody reads.
 */
export type RequestSchema<S extends TSchema = TSchema> = {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: 'typebox';
    readonly validate: (value: unknown) => { readonly value: Static<S> };
    readonly types: { readonly input: Static<S>; readonly output: Static<S> };
  };
  /** For the API reference. */
  readonly schema: S;
  readonly place: 'body' | 'query' | 'path';
};

/** A fault of one field: the error code, the sentence, and valid alternatives. */
export type Fault = { readonly code: ErrorCode; readonly sentence: string; readonly alternatives?: readonly object[] };

/** A check across fields, registered under one field. It runs only if that field is valid. */
export type Rule = (values: Readonly<Record<string, unknown>>) => Fault | null;

/** The error for a field that breaks its schema: the rule in words ("must be …"), and the error code. */
type Annotation = { readonly rule: string; readonly code: ErrorCode | ((value: unknown) => ErrorCode) };

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

/** A JSON body. The handler gets only the members that the schema names. Reports faults in the order of the fields. */
export function body<S extends TObject>(schema: S, rules: Readonly<Record<string, Rule>> = {}): RequestSchema<S> {
  const checked = checkerOf<S>(schema, rules);
  const named = namedMembers(schema);
  return adapted(schema, 'body', (value) => checked(named(objectIn(value))));
}

/**
 * A JSON object whose members the use case checks. Removes members that the schema does not name.
 *
 * @param schema for the type, and for the API reference with its `examples`
 */
export function uncheckedBody<S extends TObject>(schema: S): RequestSchema<S> {
  // The use case checks whether the value has this type.
  return adapted(schema, 'body', (value) => Clean(schema, objectIn(value)) as Static<S>);
}

/**
 * Refuses members that would otherwise be ignored as unknown: the client would believe that it changed them.
 *
 * @param instead how to change them
 */
export function withoutMembers<S extends TObject>(
  names: readonly string[],
  instead: string,
  request: RequestSchema<S>,
): RequestSchema<S> {
  const standard = request['~standard'];
  const validate: typeof standard.validate = (value) => {
    const sent = names.filter((name) => typeof value === 'object' && value !== null && Object.hasOwn(value, name));
    if (sent.length === 0) return standard.validate(value);
    const details = `What can be changed here: ${Object.keys(request.schema.properties).join(', ')}.`;
    throw new RefusedEarly(refused('INVALID_REQUEST', `${sent.join(', ')} must be left out: ${instead}.`, { details }));
  };
  return { ...request, '~standard': { ...standard, validate } };
}

/**
 * Any JSON body. The handler checks it.
 *
 * @param schema for the API reference
 */
export function anyBody(schema: TSchema): RequestSchema {
  return adapted(schema, 'body', (value) => value);
}

/** A query string. Converts texts to numbers and booleans if the schema requires them. */
export function query<S extends TObject>(schema: S, rules: Readonly<Record<string, Rule>> = {}): RequestSchema<S> {
  const checked = checkerOf<S>(schema, rules);
  const fields = Object.entries<TSchema>(schema.properties);
  return adapted(schema, 'query', (value) => {
    const sent = isObject(value) ? value : {};
    const values: Record<string, unknown> = {};
    for (const [name, field] of fields) if (sent[name] !== undefined) values[name] = fromText(sent[name], field);
    return checked(values);
  });
}

/**
 * Path parameters: any text. The use case looks up the object.
 *
 * @param parameters their names and descriptions
 */
export function path<Name extends string>(parameters: Readonly<Record<Name, string>>) {
  const members = Object.entries<string>(parameters).map(([name, description]) => [name, Type.String({ description })]);
  const schema = Type.Object(Object.fromEntries(members) as Record<Name, TString>);
  return adapted(schema, 'path', (value) => {
    const texts: Record<string, unknown> = {};
    // The router passes null for a broken escape sequence. An empty text matches no id.
    if (isObject(value)) for (const name in value) texts[name] = value[name] ?? '';
    // The schema names the parameters of the route's path, which are texts.
    return texts as Static<typeof schema>;
  });
}

export function isRequestSchema(schema: unknown): schema is RequestSchema {
  return typeof schema === 'object' && schema !== null && 'place' in schema && '~standard' in schema;
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

/** A copy with the annotation. A spread would lose the non-enumerable properties of TypeBox. */
function annotated<S extends TSchema>(schema: S, annotation: Annotation): S {
  const { rule, code } = annotation;
  // With all its property descriptors, the copy has the schema's type.
  const copy = Object.defineProperties({}, Object.getOwnPropertyDescriptors(schema)) as S;
  return Object.assign(copy, { rule, code });
}

function adapted<S extends TSchema>(
  schema: S,
  place: RequestSchema['place'],
  valueOf: (sent: unknown) => Static<S>,
): RequestSchema<S> {
  // Only the compiler reads `types`.
  const types = {} as RequestSchema<S>['~standard']['types'];
  const validate = (sent: unknown): { readonly value: Static<S> } => ({ value: valueOf(sent) });
  return { '~standard': { version: 1, vendor: 'typebox', validate, types }, schema, place };
}

type Values = Readonly<Record<string, unknown>>;

/**
 * Checks the whole object first, which is fast. If that fails, checks each field, to name all faulty ones. The checker
 * returns the object, or throws a refusal with the first fault; its `details` name all of them.
 */
function checkerOf<S extends TObject>(schema: S, rules: Readonly<Record<string, Rule>>): (sent: Values) => Static<S> {
  const whole = Compile(schema);
  const fields = fieldsOf(schema);
  const ruled = fields.filter(({ name }) => name in rules);
  return (sent) => {
    const fits = whole.Check(sent);
    const faults: Fault[] = [];
    for (const { name, owner, member, field, check } of fits ? ruled : fields) {
      const object = owner === '' ? sent : sent[owner];
      if (!isObject(object)) continue;
      const fault = check(object[member]) ? (rules[name]?.(sent) ?? null) : faultOf(name, field, object[member]);
      if (fault !== null) faults.push(fault);
    }
    const [first] = faults;
    if (first !== undefined) {
      const { code, sentence, alternatives } = first;
      const details = faults.map((fault) => fault.sentence).join(' ');
      throw new RefusedEarly(refused(code, sentence, { details, ...(alternatives && { alternatives }) }));
    }
    if (!fits) throw new Error('a request breaks its schema, but none of its fields does');
    return sent;
  };
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

/** The object schema of a field whose members are annotated; null for any other field. */
export function membersOf(field: TSchema): TObject | null {
  const inner = Type.IsUnion(field) && isClearable(field) ? field.anyOf[0] : field;
  return inner !== undefined && Type.IsObject(inner) && Object.values(inner.properties).some(isAnnotated)
    ? inner
    : null;
}

function faultOf(name: string, field: TSchema, value: unknown): Fault {
  const { rule, code } = annotationOf(field);
  const found = typeof code === 'function' ? code(value) : code;
  if (value === undefined || value === null)
    return { code: found, sentence: `${name} is missing; it must be ${rule}.` };
  const shown = JSON.stringify(value);
  const excerpt = shown.length > 80 ? `${shown.slice(0, 77)}…` : shown;
  return { code: found, sentence: `${name} must be ${rule}; it was ${excerpt}.` };
}

/** Copies the members that the schema names, also those of nested objects. Leaves out nulls that clear nothing. */
function namedMembers(schema: TObject): (sent: Values) => Values {
  const fields = Object.entries<TSchema>(schema.properties).map(([name, field]) => {
    const members = membersOf(field);
    return { name, keepsNull: isClearable(field), within: members === null ? null : namedMembers(members) };
  });
  return (sent) => {
    const named: Record<string, unknown> = {};
    for (const { name, keepsNull, within } of fields) {
      const value = sent[name];
      if (value === undefined || (value === null && !keepsNull)) continue;
      named[name] = within !== null && isObject(value) ? within(value) : value;
    }
    return named;
  };
}

/** Converts a query text to the schema's type. Returns any other text unchanged, so that the fault shows it. */
function fromText(text: unknown, field: TSchema): unknown {
  if (typeof text !== 'string') return text;
  const type = 'type' in field ? field.type : undefined;
  if ((type === 'integer' || type === 'number') && /^-?\d+(\.\d+)?$/.test(text)) return Number(text);
  if (type === 'boolean' && (text === 'true' || text === 'false')) return text === 'true';
  return text;
}

function objectIn(value: unknown): Values {
  if (isObject(value)) return value;
  throw new RefusedEarly(refused('INVALID_REQUEST', 'The body must be a JSON object.'));
}

function isObject(value: unknown): value is Values {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
