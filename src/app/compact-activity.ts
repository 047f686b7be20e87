import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import type { ActivityDocument } from '../../projections/activities/read-model.ts';
import type { Activity } from '../domain/activity/activity.ts';

/** Decoded texts that stay in memory, at most twice as many: some megabytes. */
const DECODED_TEXTS = 1_000;
/** The texts of the first ten activities or so are the dictionary of the others, which takes a fifth of their bytes. */
const DICTIONARY_BYTES = 60_000;
/** Different values that are shared; beyond it sharing begins anew. */
const MAX_SHARED = 50_000;

/**
 * Makes the entries of a catalogue small, so that a node can hold 100,000 of them: the texts in eight languages, four fifths
 * of an entry, stay compressed until they are read, and equal venues, opening hours and lists are one object.
 */
export function compactActivities(): (document: ActivityDocument) => ActivityDocument {
  const shared = new Map<string, unknown>();
  const share = <Value>(value: Value): Value => {
    const key = typeof value === 'string' ? value : JSON.stringify(value);
    // The value of a key was made of the same JSON.
    const known = shared.get(key) as Value | undefined;
    if (known !== undefined) return known;
    if (shared.size >= MAX_SHARED) shared.clear();
    shared.set(key, value);
    return value;
  };
  const texts = new PackedTexts();
  return (document) => {
    const { activity } = document;
    return isCompact(activity) ? document : { ...document, activity: compacted(activity, share, texts) };
  };
}

/** Key of the compressed texts. `JSON.stringify`, `Object.entries` and spreads do not see it. */
const PACKED = Symbol('packed texts');

type Bytes = Uint8Array<ArrayBuffer>;
type Packed = { readonly [PACKED]: Bytes };

/** The same fields in the same order: JSON texts of activities are compared. */
function compacted(activity: Activity, share: <Value>(value: Value) => Value, texts: PackedTexts): Activity {
  const small = {};
  const { packed, read } = texts.pack(activity.texts);
  Object.defineProperty(small, PACKED, { value: packed });
  for (const [field, value] of Object.entries(activity)) {
    const descriptor =
      field === 'texts'
        ? { get: read }
        : { value: field === 'id' || typeof value === 'number' || value === null ? value : share(value) };
    Object.defineProperty(small, field, { ...descriptor, enumerable: true, configurable: true });
  }
  // The loop has copied every field.
  return small as Activity;
}

function isCompact(activity: Activity): boolean {
  return Object.getOwnPropertyDescriptor(activity, 'texts')?.get !== undefined;
}

/** Compresses texts, and keeps those that were read last decoded. */
class PackedTexts {
  readonly #decoded = new DecodedTexts();
  /** Collects the first texts; then it stays as it is. */
  #dictionary = Buffer.alloc(0);
  // One function for all activities: a closure for each would take as many bytes as the rest of an entry.
  readonly #readPlain = this.#reader(() => ({}));
  readonly #read = this.#reader(() => ({ dictionary: this.#dictionary }));

  pack(texts: Activity['texts']): { readonly packed: Bytes; readonly read: (this: Packed) => Activity['texts'] } {
    const json = Buffer.from(JSON.stringify(texts));
    if (this.#dictionary.length < DICTIONARY_BYTES) {
      this.#dictionary = Buffer.concat([this.#dictionary, json]);
      return { packed: copyOf(zstdCompressSync(json)), read: this.#readPlain };
    }
    const packed = zstdCompressSync(json, { dictionary: this.#dictionary });
    return { packed: copyOf(packed), read: this.#read };
  }

  #reader(options: () => { readonly dictionary?: Buffer }): (this: Packed) => Activity['texts'] {
    const decoded = this.#decoded;
    return function read(this: Packed) {
      return decoded.read(this[PACKED], options);
    };
  }
}

/** The result of a compression keeps more bytes than it has. */
function copyOf(packed: Buffer): Bytes {
  return new Uint8Array(packed);
}

/** The texts that were read last. Two generations, since a map that deletes its oldest entry at each insertion gets slow. */
class DecodedTexts {
  #younger = new Map<Uint8Array, Activity['texts']>();
  #older = new Map<Uint8Array, Activity['texts']>();

  read(packed: Bytes, options: () => { readonly dictionary?: Buffer }): Activity['texts'] {
    return this.#younger.get(packed) ?? this.#decode(packed, options());
  }

  #decode(packed: Bytes, options: { readonly dictionary?: Buffer }): Activity['texts'] {
    // Parser: `pack` made the JSON.
    const texts =
      this.#older.get(packed) ??
      (JSON.parse(zstdDecompressSync(packed, options).toString('utf8')) as Activity['texts']);
    if (this.#younger.size >= DECODED_TEXTS) {
      this.#older = this.#younger;
      this.#younger = new Map();
    }
    this.#younger.set(packed, texts);
    return texts;
  }
}
