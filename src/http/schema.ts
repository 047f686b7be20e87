import { type Static, type TObject, type TSchema, type TString, Type } from 'typebox';
import { Compile } from 'typebox/compile';
import { refused } from '../application/refusal.ts';
import { closed } from './closed-schema.ts';
import { type Interpreted, spellingOf } from './interpretation.ts';
import type { Parameters } from './parameters.ts';
import { readMembers, type Values } from './read-members.ts';
import { type Fault, RefusedEarly, refusedFor } from './refused-early.ts';
import { codeOf, type FieldOf, faultOf, fieldsOf, isObject, membersOf } from './schema-fields.ts';
import { forbiddenTexts, type TextFault } from './text-faults.ts';

export { understood } from './interpretation.ts';
export type { Fault } from './refused-early.ts';
export { clearable, optional, required, reworded } from './schema-fields.ts';

/**
 * A TypeBox 1.x schema as a Standard Schema (docs/decisions/0045). `access.ts` reads body and query with `read`; Elysia gets
 * their value from `validate`, which changes nothing.
 */
export type RequestSchema<S extends TSchema = TSchema> = {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: 'typebox';
    readonly validate: (value: unknown) => { readonly value: Static<S> };
    readonly types: { readonly input: Static<S>; readonly output: Static<S> };
  };
  /** Reads what was sent. For an invalid request it throws `RefusedEarly`. */
  readonly read: (sent: unknown) => Read<S>;
  /** For the API reference. */
  readonly schema: S;
  readonly place: 'body' | 'query' | 'path';
};

/** The value for the handler, and its interpretations; null if there are none. */
export type Read<S extends TSchema = TSchema> = {
  readonly value: Static<S>;
  readonly interpreted: Interpreted | null;
};

/** A check across fields, registered under one field. It runs only if that field is valid. */
export type Rule = (values: Values) => Fault | null;

/**
 * A JSON body. An unknown member, at any level, and a text that must not be stored are refused. The faults are in this order: unknown members of the body, of its
 * objects, then the fields in the order of the schema.
 *
 * @param unstored members that are looked up and never stored: any text is allowed
 */
export function body<S extends TObject>(
  schema: S,
  rules: Readonly<Record<string, Rule>> = {},
  unstored: readonly string[] = [],
): RequestSchema<S> {
  const shut = closed(schema);
  const checked = checkerOf<S>(shut, rules);
  return adapted(shut, 'body', (value) => {
    const sent = objectIn(value);
    const texts = forbiddenTexts(sent).filter(({ at }) => !unstored.includes(at));
    return checked(sent, () => readMembers(shut, sent), { texts });
  });
}

/**
 * A JSON object. The use case checks its values; an unknown member, at any level, and a text that must not be stored are
 * refused here.
 *
 * @param schema for the type, and for the API reference with its `examples`
 */
export function uncheckedBody<S extends TObject>(schema: S): RequestSchema<S> {
  const shut = closed(schema);
  return adapted(shut, 'body', (sent) => {
    const { values, unknown, interpreted } = readMembers(shut, objectIn(sent));
    refuseAny([...unknown, ...forbiddenTexts(sent).map(invalid)]);
    // The use case checks whether the value has this type.
    return { value: values as Static<S>, interpreted };
  });
}

/** The body of a route without body: none, or an object without members. */
export const NO_BODY = body(Type.Object({}));

/**
 * Refuses members that other operations accept, with a separate error text.
 *
 * @param instead how to change them
 */
export function withoutMembers<S extends TObject>(
  names: readonly string[],
  instead: string,
  request: RequestSchema<S>,
): RequestSchema<S> {
  const read = (value: unknown): Read<S> => {
    const sent = names.filter((name) => typeof value === 'object' && value !== null && Object.hasOwn(value, name));
    if (sent.length === 0) return request.read(value);
    const details = `What can be changed here: ${Object.keys(request.schema.properties).join(', ')}.`;
    throw new RefusedEarly(refused('INVALID_REQUEST', `${sent.join(', ')} must be left out: ${instead}.`, { details }));
  };
  return { ...request, read };
}

/**
 * Any JSON body, of another protocol. The handler checks it.
 *
 * @param schema for the API reference
 */
export function anyBody(schema: TSchema): RequestSchema {
  return adapted(schema, 'body', (value) => ({ value, interpreted: null }));
}

/**
 * A query string, read from `Parameters`. Converts texts to numbers and booleans if the schema requires them. An unknown
 * parameter, and one that is given twice, is refused.
 */
export function query<S extends TObject>(schema: S, rules: Readonly<Record<string, Rule>> = {}): RequestSchema<S> {
  const shut = closed(schema);
  const checked = checkerOf<S>(shut, rules);
  const properties: Readonly<Record<string, TSchema>> = shut.properties;
  return adapted(shut, 'query', (sent) => {
    // Only `access.ts` calls this.
    const { texts, repeated } = sent as Parameters;
    const values: Record<string, unknown> = Object.create(null) as Record<string, unknown>;
    for (const name in texts)
      values[name] = Object.hasOwn(properties, name) ? fromText(texts[name], properties[name]) : texts[name];
    return checked(values, () => readMembers(shut, values, 'parameter'), { repeated });
  });
}

/** The query of a route without query: no parameters. */
export const NO_QUERY = query(Type.Object({}));

/**
 * Path parameters: any text. The use case looks up the object.
 *
 * @param parameters their names and descriptions
 */
export function path<Name extends string>(parameters: Readonly<Record<Name, string>>) {
  const members = Object.entries<string>(parameters).map(([name, description]) => [name, Type.String({ description })]);
  const schema = Type.Object(Object.fromEntries(members) as Record<Name, TString>);
  const request = adapted(schema, 'path', (value) => {
    const texts: Record<string, unknown> = {};
    // The router passes null for a broken escape sequence. An empty text matches no id.
    if (isObject(value)) for (const name in value) texts[name] = value[name] ?? '';
    // The schema names the parameters of the route's path, which are texts.
    return { value: texts as Static<typeof schema>, interpreted: null };
  });
  // Elysia reads the path.
  return { ...request, '~standard': { ...request['~standard'], validate: request.read } };
}

export function isRequestSchema(schema: unknown): schema is RequestSchema {
  return typeof schema === 'object' && schema !== null && 'place' in schema && '~standard' in schema;
}

function adapted<S extends TSchema>(
  schema: S,
  place: RequestSchema['place'],
  read: RequestSchema<S>['read'],
): RequestSchema<S> {
  // Only the compiler reads `types`.
  const types = {} as RequestSchema<S>['~standard']['types'];
  // `access.ts` has read the value.
  const validate = (value: unknown): { readonly value: Static<S> } => ({ value: value as Static<S> });
  return { '~standard': { version: 1, vendor: 'typebox', validate, types }, read, schema, place };
}

/** The reading of an object that breaks its schema as it was sent. */
type Reader = () => ReturnType<typeof readMembers>;

/** Faults that the schema does not see: parameters that were given twice, and texts that must not be stored. */
type Seen = { readonly repeated?: readonly string[]; readonly texts?: readonly TextFault[] };

/**
 * Checks the whole object first, which is fast. If that fails, reads member by member, and checks each field, to name all
 * faults. The checker returns the object, or throws a refusal with the first fault; its `details` name all of them.
 */
function checkerOf<S extends TObject>(schema: S, rules: Readonly<Record<string, Rule>>) {
  const whole = Compile(schema);
  const fields = fieldsOf(schema);
  const ruled = fields.filter(({ name }) => Object.hasOwn(rules, name));
  const checkedBy = (some: typeof fields, values: Values, texts: readonly TextFault[] = []): readonly Fault[] => {
    const faults: Fault[] = [];
    for (const each of some) {
      const { name, owner, member, field, check } = each;
      const object = owner === '' ? values : values[owner];
      if (!isObject(object)) continue;
      const value = object[member];
      const text = texts.find(({ at }) => isIn(at, each));
      if (text !== undefined) {
        faults.push({ code: codeOf(field, value), sentence: text.sentence });
        continue;
      }
      const fault = check(value)
        ? (rules[name]?.(values) ?? null)
        : (spellingOf(field)?.fault?.(value, values) ?? faultOf(name, field, value));
      if (fault !== null) faults.push(fault);
    }
    return faults;
  };
  return (sent: Values, readerOf: Reader, { repeated = [], texts = [] }: Seen = {}): Read<S> => {
    if (whole.Check(sent) && repeated.length === 0 && texts.length === 0) {
      refuseAny(checkedBy(ruled, sent));
      return { value: sent, interpreted: null };
    }
    const { values, unknown, interpreted } = readerOf();
    refuseAny([...unknown, ...repeated.map(faultOfRepeated), ...checkedBy(fields, values, texts)]);
    refuseAny(texts.map(invalid));
    if (!whole.Check(values)) throw new Error('a request breaks its schema, but none of its fields does');
    return { value: values, interpreted };
  };
}

/** Whether the path `at` is that of the field, or of a value in it that is no field of its own. */
function isIn(at: string, { name, field }: FieldOf): boolean {
  if (at === name) return true;
  return membersOf(field) === null && (at.startsWith(`${name}.`) || at.startsWith(`${name}[`));
}

function invalid({ sentence }: TextFault): Fault {
  return { code: 'INVALID_REQUEST', sentence };
}

function refuseAny([first, ...others]: readonly Fault[]): void {
  if (first !== undefined) throw refusedFor([first, ...others]);
}

function faultOfRepeated(name: string): Fault {
  return { code: 'INVALID_REQUEST', sentence: `parameter ${JSON.stringify(name)} is given twice; send it once.` };
}

/** Converts a query text to the schema's type. Returns any other text unchanged, so that the fault shows it. */
function fromText(text: unknown, field: TSchema | undefined): unknown {
  if (typeof text !== 'string' || field === undefined) return text;
  const type = 'type' in field ? field.type : undefined;
  if ((type === 'integer' || type === 'number') && isNumeric(text)) return Number(text);
  if (type === 'boolean' && (text === 'true' || text === 'false')) return text === 'true';
  return text;
}

/** Not with so many digits that the number is infinite. */
function isNumeric(text: string): boolean {
  return /^-?\d+(\.\d+)?$/.test(text) && Number.isFinite(Number(text));
}

function objectIn(value: unknown): Values {
  if (isObject(value)) return value;
  throw new RefusedEarly(refused('INVALID_REQUEST', 'The body must be a JSON object.'));
}
