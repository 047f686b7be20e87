import type { DomainEvent, Recorded } from './message.ts';

type Facts = Readonly<Record<string, unknown>>;

/** Converts the data of one version into that of the next. Stored events never change; old ones are upcast when read. */
export type Upcaster = (facts: Facts) => Facts;

/** An event as it is stored: its type includes the version (`BookingConfirmed.v1`), its data is plain JSON. */
export type Encoded = { readonly type: string; readonly data: object };

/** Encodes and decodes the events of one stream category. */
export type Codec<E extends DomainEvent> = {
  readonly category: string;
  /** The present version of each event type. A compatibility test has a golden file for each version. */
  readonly versions: Readonly<Record<string, number>>;
  encode(event: E): Encoded;
  /**
   * @throws UnknownEvent for a type or version that this build does not know: a newer node wrote it. Other faults for data
   * that cannot be upcast
   */
  decode(stored: Encoded): E;
  /** The codec of the same events in the streams of another category. */
  inCategory(category: string): Codec<E>;
};

/**
 * Decodes an event of any stream category; null if no codec belongs to its category.
 * @throws UnknownEvent for a type or version that this build does not know, and for data that it cannot read
 */
export type DecodeEvent = (stored: Omit<Recorded, keyof Encoded> & Encoded) => Recorded | null;

/** A stored event that this build cannot decode. */
export class UnknownEvent extends Error {
  readonly category: string;
  /** The stored type, with its version. */
  readonly type: string;
  /** Why the data cannot be decoded; null if this build does not know the type. */
  readonly fault: string | null;

  constructor(category: string, type: string, fault: string | null = null) {
    super(fault ?? `stream category "${category}" has no event type "${type}" in this version of Waymark`);
    this.name = 'UnknownEvent';
    this.category = category;
    this.type = type;
    this.fault = fault;
  }
}

/**
 * The codec of a category. `upcasters[type]` lists the upcasters from version 1 on, oldest first. The present version is
 * their number plus one, so a new version cannot be declared without the upcaster of the old one.
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
    encode(event) {
      const type = storedTypes.get(event.type);
      if (type === undefined) throw new UnknownEvent(category, event.type);
      return { type, data: event.data };
    },
    decode(stored) {
      const reader = readers.get(stored.type);
      if (reader === undefined) throw new UnknownEvent(category, stored.type);
      if (stored.data instanceof Uint8Array) throw new TypeError('its data is not a JSON object');
      let facts = stored.data as Facts;
      for (const step of reader.steps) facts = step(facts);
      // `encode` wrote the data that is stored with this type and version.
      return { type: reader.type, data: facts } as unknown as E;
    },
    inCategory: (other) => codec(other, upcasters),
  };
}
