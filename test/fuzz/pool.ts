import type { Random } from '../chaos/kill/random.ts';

/** Where a name has no values of its own, those of another name fit. */
const ALIKE: Readonly<Record<string, string>> = {
  context_log_id: 'log_id',
  cursor: 'next_cursor',
  date: 'booking_date',
  from: 'booking_date',
  to: 'booking_date',
};
/** Values kept of each name: the latest. */
const KEPT = 40;

/** What the service has answered with, by the names of the fields: requests that use it get further than invented ones. */
export class Pool {
  readonly #values = new Map<string, string[]>();
  readonly #spared = new Set<string>();

  /** What is the attackers' own: they would only keep themselves out. */
  spare(value: string): void {
    this.#spared.add(value);
  }

  /** Every text of a JSON value, lists and objects searched through. */
  learn(value: unknown, name = ''): void {
    if (typeof value === 'string') this.#keep(name, value);
    else if (Array.isArray(value)) for (const each of value) this.learn(each, name);
    else if (typeof value === 'object' && value !== null)
      for (const [member, each] of Object.entries(value)) this.learn(each, member);
  }

  /** One of a name's values; of `id`, any id at all; null where none is known. */
  pick(name: string, random: Random): string | null {
    const names = name === 'id' ? ['id', 'delivery_id', 'booking_id'] : [name, ALIKE[name] ?? name];
    const [first, ...others] = names.flatMap((each) => this.#values.get(each) ?? []);
    return first === undefined ? null : random.pick([first, ...others]);
  }

  #keep(name: string, value: string): void {
    if (value === '' || value.length > 300 || this.#spared.has(value)) return;
    const values = this.#values.get(name) ?? [];
    if (!values.includes(value)) this.#values.set(name, [...values, value].slice(-KEPT));
  }
}
