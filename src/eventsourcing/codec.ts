import type { DomainEvent } from './message.ts';

type Facts = Readonly<Record<string, unknown>>;

/** Turns the facts of one version into those of the next. Events are never rewritten; old ones are upcast when read. */
export type Upcaster = (facts: Facts) => Facts;

/** An event as text for a store: its type carries the version (`BookingConfirmed.v1`), its data is plain JSON. */
export type Encoded = { readonly type: string; readonly data: object };

/** Between the events of one stream category and what the store keeps. */
export type Codec<E extends DomainEvent> = {
  readonly category: string;
  /** Every event type the category knows, with its present version. A compatibility test holds a golden file for each. */
  readonly versions: Readonly<Record<string, number>>;
  /** Whether this build can read what is stored under a type and version. */
  reads(storedType: string): boolean;
  encode(event: E): Encoded;
  /** @throws UnknownEvent for a type or version that this build does not know: a newer node wrote it. */
  decode(stored: Encoded): E;
};

/** A stored event that this build cannot read. A fault: guessing would lose facts. */
export class UnknownEvent extends Error {
  readonly category: string;
  /** As it is stored, with its version. */
  readonly type: string;

  constructor(category: string, type: string) {
    super(`stream category "${category}" has no event type "${type}" in this version of Waymark`);
    this.name = 'UnknownEvent';
    this.category = category;
    this.type = type;
  }
}

/**
 * The codec of a category. `upcasters[type]` lists, oldest first, the steps from version 1 upwards; the present version
 * is their number plus one, so a new version cannot be declared without the step that reads the old one.
 */
export function codec<E extends DomainEvent>(
  category: string,
  upcasters: { readonly [T in E['type']]: readonly Upcaster[] },
): Codec<E> {
  const versions: Record<string, number> = {};
  const storedTypes = new Map<string, string>();
  const readers = new Map<string, { type: string; steps: readonly Upcaster[] }>();
  for (const [type, steps] of Object.entries<readonly Upcaster[]>(upcasters)) {
    versions[type] = steps.length + 1;
    storedTypes.set(type, `${type}.v${steps.length + 1}`);
    for (let version = 1; version <= steps.length + 1; version++) {
      readers.set(`${type}.v${version}`, { type, steps: steps.slice(version - 1) });
    }
  }
  return {
    category,
    versions,
    reads: (storedType) => readers.has(storedType),
    encode(event) {
      const type = storedTypes.get(event.type);
      if (type === undefined) throw new UnknownEvent(category, event.type);
      return { type, data: event.data };
    },
    decode(stored) {
      const reader = readers.get(stored.type);
      if (reader === undefined) throw new UnknownEvent(category, stored.type);
      let facts = stored.data as Facts;
      for (const step of reader.steps) facts = step(facts);
      // The parser of this boundary: what was stored under this type and version is what `encode` wrote.
      return { type: reader.type, data: facts } as unknown as E;
    },
  };
}
