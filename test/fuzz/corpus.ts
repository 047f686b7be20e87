import type { Random } from '../chaos/kill/random.ts';

/** Other names whose values fit too. */
const SYNONYMS: Readonly<Record<string, string>> = {
  context_log_id: 'log_id',
  cursor: 'next_cursor',
  date: 'booking_date',
  from: 'booking_date',
  to: 'booking_date',
};
/** Maximum number of values per name; the latest are kept. */
const MAX_VALUES = 40;

/** Values of the service's answers by field name. Requests with them get further than requests with invented values. */
export class Corpus {
  readonly #values = new Map<string, string[]>();
  readonly #excluded = new Set<string>();

  /** Excludes an id of the fixtures, which later requests need unchanged. */
  exclude(value: string): void {
    this.#excluded.add(value);
  }

  /** Adds every text of a JSON value. */
  learn(value: unknown, name = ''): void {
    if (typeof value === 'string') this.#keep(name, value);
    else if (Array.isArray(value)) for (const each of value) this.learn(each, name);
    else if (typeof value === 'object' && value !== null)
      for (const [member, each] of Object.entries(value)) this.learn(each, member);
  }

  /** A value of the name, for `id` of any kind of id; null without one. */
  pick(name: string, random: Random): string | null {
    const names = name === 'id' ? ['id', 'delivery_id', 'booking_id'] : [name, SYNONYMS[name] ?? name];
    const [first, ...others] = names.flatMap((each) => this.#values.get(each) ?? []);
    return first === undefined ? null : random.pick([first, ...others]);
  }

  #keep(name: string, value: string): void {
    if (value === '' || value.length > 300 || this.#excluded.has(value)) return;
    const values = this.#values.get(name) ?? [];
    if (!values.includes(value)) this.#values.set(name, [...values, value].slice(-MAX_VALUES));
  }
}
