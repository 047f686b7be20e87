import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { Agenda, type Entry } from '../../../src/domain/agenda.ts';

type Change = { readonly kind: 'with'; readonly entry: Entry } | { readonly kind: 'without'; readonly key: string };

const key = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f');
const change: fc.Arbitrary<Change> = fc.oneof(
  fc.record({ kind: fc.constant('with' as const), entry: fc.record({ key, place: fc.nat(9) }) }),
  fc.record({ kind: fc.constant('without' as const), key }),
);

function applied(agenda: Agenda<Entry>, one: Change): Agenda<Entry> {
  return one.kind === 'with' ? agenda.with(one.entry) : agenda.without(one.key);
}

const places = (agenda: Agenda<Entry>) => [...agenda.inOrder()].map(({ place }) => place);
const byKey = (left: Entry, right: Entry) => (left.key < right.key ? -1 : 1);

describe('an agenda', () => {
  test('holds what a plain map would hold, in the order of places', () => {
    fc.assert(
      fc.property(fc.array(change, { maxLength: 60 }), (changes) => {
        const plain = new Map<string, Entry>();
        let agenda = new Agenda<Entry>();
        for (const one of changes) {
          agenda = applied(agenda, one);
          if (one.kind === 'with') plain.set(one.entry.key, one.entry);
          else plain.delete(one.key);
        }
        const expected = [...plain.values()].sort(byKey);
        expect([...agenda.inOrder()].sort(byKey)).toEqual(expected);
        expect([...agenda.values()].sort(byKey)).toEqual(expected);
        expect(agenda.size).toBe(plain.size);
        expect(places(agenda)).toEqual(expected.map(({ place }) => Number(place)).sort((left, right) => left - right));
        for (const name of ['a', 'f']) expect(agenda.get(name)).toEqual(plain.get(name));
      }),
    );
  });

  test('is not changed by what comes after it', () => {
    fc.assert(
      fc.property(fc.array(change), change, (changes, next) => {
        const agenda = changes.reduce(applied, new Agenda<Entry>());
        const before = [...agenda.inOrder()];
        applied(agenda, next);
        expect([...agenda.inOrder()]).toEqual(before);
      }),
    );
  });

  test('of many thousands in falling order is gone through without a deep stack', () => {
    const many = Array.from({ length: 20_000 }, (_, at) => ({ key: String(at), place: 20_000 - at }));
    const agenda = many.reduce((rest, entry) => rest.with(entry), new Agenda<Entry>());
    expect(places(agenda)).toEqual(many.map(({ place }) => place).toReversed());
  });

  test('behind something that is never done does not grow by what came and went', () => {
    let looked = 0;
    const entry = (name: string, at: number): Entry => ({
      key: name,
      get place() {
        looked++;
        return at;
      },
    });
    const [stuck, last] = [entry('stuck', 0), entry('last', 30_000)];
    let agenda = new Agenda<Entry>().with(stuck);
    for (let at = 1; at <= 20_000; at++) agenda = agenda.with(entry(String(at), at)).without(String(at));
    agenda = agenda.with(last);
    looked = 0;
    expect([...agenda.inOrder()].map((one) => one.key)).toEqual(['stuck', 'last']);
    expect(looked).toBeLessThan(1_000);
  });
});
