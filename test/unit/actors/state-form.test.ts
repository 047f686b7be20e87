import { describe, expect, test } from 'bun:test';
import { type IsStorable, stateForm } from '../../../src/actors/state-form.ts';
import { OrderedMap } from '../../../src/collections/ordered-map.ts';

type State = {
  readonly items: OrderedMap<string, { readonly size: number; readonly by: string | null }>;
  readonly names: readonly string[];
  readonly maybe?: OrderedMap<string, true>;
};

const form = stateForm<State>(1);

describe('the form of a state', () => {
  test('holds texts, numbers, lists and ordered maps, which work as before', () => {
    let items: State['items'] = new OrderedMap();
    const keys = ['b', '', 'é', '__proto__', 'a', 'constructor', '10', '9', '\ud800'];
    for (const [size, key] of keys.entries()) items = items.with(key, { size, by: size % 2 === 0 ? key : null });
    const loaded = form.decode(form.encode({ items, names: ['x', ''] }));
    expect([...loaded.items.entries()]).toEqual([...items.entries()]);
    expect(loaded.names).toEqual(['x', '']);
    expect(loaded.maybe).toBeUndefined();
    expect(keys.map((key) => loaded.items.get(key)?.size)).toEqual(keys.map((_, size) => size));
    const [changed, expected] = [loaded.items, items].map((map) => map.with('aa', { size: 1, by: null }).without('b'));
    expect([...(changed?.entries() ?? [])]).toEqual([...(expected?.entries() ?? [])]);
  });

  test('holds an empty ordered map', () => {
    const state = { items: new OrderedMap(), names: [], maybe: new OrderedMap() } as State;
    const loaded = form.decode(form.encode(state));
    expect([loaded.items.size, loaded.maybe?.size]).toEqual([0, 0]);
  });

  test('refuses what JSON would change', () => {
    const numbers = stateForm<{ readonly [name: string]: number }>(1);
    for (const number of [Number.NaN, Number.POSITIVE_INFINITY])
      expect(() => numbers.encode({ number })).toThrow(TypeError);
    expect(() => numbers.encode({ '': 1 })).toThrow(TypeError);
  });

  test('does not compile for a state that it would not hold', () => {
    const map: IsStorable<{ readonly items: ReadonlyMap<string, number> }> = false;
    const numericKeys: IsStorable<{ readonly items: OrderedMap<number, number> }> = false;
    const date: IsStorable<{ readonly deep: readonly { readonly at: Date | null }[] }> = false;
    const inMap: IsStorable<{ readonly items: OrderedMap<string, { readonly at: Date }> }> = false;
    const storable: IsStorable<State> = true;
    expect([map, numericKeys, date, inMap, storable]).toEqual([false, false, false, false, true]);
  });
});
