import { type TObject, type TSchema, Type } from 'typebox';
import { unknownName } from '../domain/unknown-name.ts';
import { memberPaths, shapeOf } from './closed-schema.ts';
import { type Interpreted, spellingOf, takenBy } from './interpretation.ts';
import type { Fault } from './refused-early.ts';
import { isAnnotated, isClearable, isObject } from './schema-fields.ts';

export type Values = Readonly<Record<string, unknown>>;

type Reading = {
  readonly values: Values;
  /** Members that the schema does not name: of an object as they were sent, then those of its objects. */
  readonly unknown: readonly Fault[];
  readonly interpreted: Interpreted | null;
};

/** A request can have thousands of unknown members. The sentence of each takes microseconds. */
const MAX_NAMED = 10;

/**
 * Reads an object that breaks its schema: finds unknown members, leaves out nulls that clear nothing, and understands other
 * spellings. Does not check the values.
 */
export function readMembers(schema: TObject, sent: Values, kind: 'field' | 'parameter' = 'field'): Reading {
  const reader = new Reader(schema, kind);
  return { values: reader.root(sent), unknown: reader.faults(), interpreted: reader.interpreted };
}

class Reader {
  interpreted: Record<string, { given: unknown; taken: unknown }> | null = null;
  readonly #schema: TObject;
  readonly #kind: 'field' | 'parameter';
  readonly #unknown: { readonly parent: string; readonly name: string }[] = [];
  #sent: Values = {};
  /** The members of the request that were read before. */
  readonly #read: Record<string, unknown> = {};

  constructor(schema: TObject, kind: 'field' | 'parameter') {
    this.#schema = schema;
    this.#kind = kind;
  }

  root(sent: Values): Values {
    this.#sent = sent;
    return this.#object(this.#schema, sent, '', this.#read);
  }

  faults(): readonly Fault[] {
    if (this.#unknown.length === 0) return [];
    const known = memberPaths(this.#schema);
    const named = this.#unknown.slice(0, MAX_NAMED).map(({ parent, name }): Fault => {
      return { code: 'INVALID_REQUEST', sentence: unknownName(this.#kind, parent, name, known) };
    });
    const more = this.#unknown.length - named.length;
    if (more === 0) return named;
    return [...named, { code: 'INVALID_REQUEST', sentence: `${more} more ${this.#kind}s are unknown.` }];
  }

  #object(schema: TObject, sent: Values, path: string, read: Record<string, unknown> = {}): Values {
    for (const name of Object.keys(sent))
      if (!Object.hasOwn(schema.properties, name)) this.#unknown.push({ parent: path, name });
    for (const [name, field] of Object.entries<TSchema>(schema.properties)) {
      if (!Object.hasOwn(sent, name)) continue;
      const value = sent[name];
      if (value === null && isAnnotated(field) && !isClearable(field)) continue;
      read[name] = this.#value(field, value, path === '' ? name : `${path}.${name}`);
    }
    return read;
  }

  #value(field: TSchema, value: unknown, path: string): unknown {
    const shape = shapeOf(field);
    if (Type.IsObject(shape) && isObject(value)) return this.#object(shape, value, path);
    if (Type.IsArray(shape) && Array.isArray(value)) {
      const { items } = shape;
      const list: readonly unknown[] = value;
      if (Type.IsObject(shapeOf(items)))
        return list.map((each, index) => this.#value(items, each, `${path}[${index}]`));
      const taken = list.map((each) => takenBy(items, each, this.#kind));
      return taken.some((each, index) => each !== list[index]) ? this.#understood(path, value, taken) : value;
    }
    const taken = takenBy(shape, value, this.#kind);
    if (taken !== value) return this.#understood(path, value, taken);
    const spelling = spellingOf(field) ?? spellingOf(shape);
    const meant =
      spelling === null || spelling.fits(value) ? undefined : spelling.take(value, { ...this.#sent, ...this.#read });
    return meant === undefined ? value : this.#understood(path, value, meant);
  }

  #understood(path: string, given: unknown, taken: unknown): unknown {
    this.interpreted ??= {};
    this.interpreted[path] = { given, taken };
    return taken;
  }
}
