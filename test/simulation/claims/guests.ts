import { type Deciders, type Numbers, Stream } from './stream.ts';

/** All guest streams at one moment; those never written to nor erased are not kept. Equal ones are the same object. */
export class Guests {
  readonly number: number;
  readonly streams: ReadonlyMap<string, Stream<'guest'>>;
  readonly #shared: Shared;

  private constructor(shared: Shared, streams: ReadonlyMap<string, Stream<'guest'>>) {
    this.number = shared.numbers();
    this.streams = streams;
    this.#shared = shared;
  }

  static none(decider: Deciders['guest'], numbers: Numbers): Guests {
    const make = (shared: Shared, streams: ReadonlyMap<string, Stream<'guest'>>) => new Guests(shared, streams);
    return new Guests(new Shared(decider, numbers, make), new Map());
  }

  of(id: string): Stream<'guest'> {
    return this.streams.get(id) ?? this.#shared.empty(id);
  }

  with(stream: Stream<'guest'>): Guests {
    return this.#shared.same(new Map(this.streams).set(stream.name, stream));
  }
}

/** What all moments of a search's guests have in common. */
class Shared {
  readonly numbers: Numbers;
  readonly #decider: Deciders['guest'];
  readonly #make: (shared: Shared, streams: ReadonlyMap<string, Stream<'guest'>>) => Guests;
  readonly #empty = new Map<string, Stream<'guest'>>();
  readonly #known = new Map<string, Guests>();

  constructor(
    decider: Deciders['guest'],
    numbers: Numbers,
    make: (shared: Shared, streams: ReadonlyMap<string, Stream<'guest'>>) => Guests,
  ) {
    this.#decider = decider;
    this.numbers = numbers;
    this.#make = make;
  }

  empty(id: string): Stream<'guest'> {
    let stream = this.#empty.get(id);
    if (stream === undefined) {
      stream = Stream.empty('guest', id, this.#decider, this.numbers);
      this.#empty.set(id, stream);
    }
    return stream;
  }

  same(streams: ReadonlyMap<string, Stream<'guest'>>): Guests {
    const key = [...streams.values()].map(({ number }) => number).sort().join(' ');
    let guests = this.#known.get(key);
    if (guests === undefined) {
      guests = this.#make(this, streams);
      this.#known.set(key, guests);
    }
    return guests;
  }
}
