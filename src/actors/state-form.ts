import { OrderedMap } from '../collections/ordered-map.ts';

/** How the states of a kind of stream are written into snapshots. */
export type StateForm<S> = {
  /** Raised with every change of `evolve` or of the state's type: a snapshot of another version is not read. */
  readonly version: number;
  encode(state: S): string;
  decode(text: string): S;
};

/** The type itself if a snapshot can hold it: plain JSON, and ordered maps with texts as keys. Other members become `never`. */
type Storable<T> = T extends null | boolean | number | string
  ? T
  : T extends OrderedMap<infer Key, infer Value>
    ? [Key, Value] extends [string, Storable<Value>]
      ? T
      : never
    : T extends ReadonlyMap<unknown, unknown> | ReadonlySet<unknown> | Date | ((...args: never) => unknown)
      ? never
      : { readonly [Member in keyof T]: Storable<T[Member]> };

/** The only member of the object that stands for an ordered map. No object of a state has a member of this name. */
const ENTRIES = '';

/** Whether a snapshot can hold a state. */
export type IsStorable<S> = [S] extends [Storable<S>] ? true : false;

/** A state that a snapshot cannot hold does not compile: its form needs a second argument, which does not exist. */
export function stateForm<S>(
  version: number,
  ..._unstorable: IsStorable<S> extends true ? [] : [unstorable: never]
): StateForm<S> {
  return {
    version,
    encode: (state) => JSON.stringify(encoded(state)),
    // Parser: `encode` wrote the text.
    decode: (text) => decoded(JSON.parse(text)) as S,
  };
}

/** @throws TypeError if the text would not hold the same value */
function encoded(value: unknown): unknown {
  if (value instanceof OrderedMap)
    return {
      [ENTRIES]: Array.from((value as OrderedMap<string, unknown>).entries(), ([key, each]) => [key, encoded(each)]),
    };
  if (Array.isArray(value)) return value.map(encoded);
  if (typeof value === 'object' && value !== null) {
    if (ENTRIES in value) throw new TypeError('a state has a member without a name');
    return Object.fromEntries(
      Object.entries(value).map(([name, member]: [string, unknown]) => [name, encoded(member)]),
    );
  }
  if (typeof value === 'number' && !Number.isFinite(value)) throw new TypeError(`a state holds ${value}`);
  return value;
}

function decoded(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(decoded);
  if (typeof value !== 'object' || value === null) return value;
  if (ENTRIES in value) {
    const entries = value[ENTRIES] as readonly (readonly [string, unknown])[];
    return OrderedMap.ofSorted(entries.map(([key, each]): [string, unknown] => [key, decoded(each)]));
  }
  return Object.fromEntries(Object.entries(value).map(([name, member]: [string, unknown]) => [name, decoded(member)]));
}
