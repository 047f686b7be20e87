import { beforeEach, describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import type { DocumentWrite, Find, Page, ReadModelStore, Scalar } from '../../../src/ports/read-model-store.ts';
import { answerByDefinition, byId, DOCUMENTS, QUESTION, type TestDocument, VALUES } from './definition.ts';
import { at, BOOKINGS, CITIES, idsOf, type Scene, SEED, scanned } from './scene.ts';

/** Find: conditions, order, cursors. */
export function finding(scene: Scene): void {
  describe('find', () => {
    beforeEach(() => scene.given(CITIES));

    test.each<[string, Omit<Find, 'limit'>, string]>([
      ['all documents, by id', {}, '1 2 3 4 5 6 7'],
      ['one field', { where: { city: 'Hanoi' } }, '1 2 4'],
      ['several fields', { where: { city: 'Hanoi', size: 2 } }, '2 4'],
      ['one of several values', { where: { city: ['Hue', 'Hanoi', 'Hue'] } }, '1 2 3 4'],
      ['none of no values', { where: { city: [] } }, ''],
      ['one of several, and another field', { where: { city: ['Hue', 'Hanoi'], size: 1 } }, '1 3'],
      ['null or missing', { where: { city: null } }, '6 7'],
      ['null among several', { where: { city: ['Hue', null] } }, '3 6 7'],
      ['a field that no document has', { where: { planet: 'Mars' } }, ''],
      ['SQL in a text', { where: { city: `Hanoi' OR ''='` } }, ''],
      ['a range, half-open', { range: { field: 'price', from: 10, to: 30 } }, '1 2 5'],
      ['a range without a start', { range: { field: 'price', to: 20 } }, '1 2'],
      ['a range without an end', { range: { field: 'price', from: 20 } }, '3 4 5'],
      ['a range without either', { range: { field: 'price' } }, '1 2 3 4 5 6 7'],
      ['an empty range', { range: { field: 'price', from: 20, to: 20 } }, ''],
      ['a range of strings', { range: { field: 'city', from: 'Hb', to: 'Hue' } }, ''],
      ['a range of strings without a start', { range: { field: 'city', to: 'Hue' } }, '1 2 4'],
      ['a range of strings without an end', { range: { field: 'city', from: 'Hue' } }, '3 5'],
      ['a field and a range of another', { where: { city: 'Hanoi' }, range: { field: 'price', from: 11 } }, '2 4'],
      ['sorted', { sort: { field: 'price', direction: 'asc' } }, '6 7 1 2 5 3 4'],
      ['sorted, descending', { sort: { field: 'price', direction: 'desc' } }, '4 3 5 2 1 7 6'],
      [
        'ties by id in the same direction',
        { where: { city: 'Hanoi' }, sort: { field: 'city', direction: 'desc' } },
        '4 2 1',
      ],
      [
        'several values merged in the order of another field',
        { where: { city: ['Hue', 'Hanoi', null] }, merge: 'city', sort: { field: 'price', direction: 'desc' } },
        '4 3 2 1 7 6',
      ],
      [
        'none of no values merged',
        { where: { city: [] }, merge: 'city', sort: { field: 'price', direction: 'desc' } },
        '',
      ],
    ])('%s', async (_, query, ids) => {
      expect(await scene.found(query)).toBe(ids);
    });

    test('returns whole documents, and a cursor only if more follow', async () => {
      const query = { where: { city: 'Hanoi' }, sort: { field: 'price', direction: 'asc' } } as const;
      const [one, two, four] = ['1', '2', '4'].map((id) => CITIES.find((document) => document.id === id));
      const first = await scene.store.find(BOOKINGS, { ...query, limit: 2 });
      expect(first).toEqual({ items: [one, two], next: { value: 12.5, id: '2' } } as Page);
      const second = await scene.store.find(BOOKINGS, { ...query, limit: 2, after: { value: 12.5, id: '2' } });
      expect(second).toEqual({ items: [four], next: null } as Page);
      expect((await scene.store.find(BOOKINGS, { ...query, limit: 3 })).next).toBeNull();
    });

    test('a cursor outside the range returns nothing outside it', async () => {
      const query = {
        range: { field: 'price', from: 11, to: 35 },
        sort: { field: 'price', direction: 'asc' },
      } as const;
      expect(await scene.found({ ...query, after: { value: 1, id: '0' } })).toBe('2 5 3');
      expect(await scene.found({ ...query, after: { value: 36, id: '0' } })).toBe('');
    });

    test('never returns a tombstone, unlike `load` and `scan`', async () => {
      await scene.store.commit(BOOKINGS, [{ id: '1', doc: null, position: at(2), loaded: at(1) }], at(2));
      expect(await scene.found({})).toBe('2 3 4 5 6 7');
      expect(await scene.found({ where: { city: null } })).toBe('6 7');
      expect(await scene.found({ sort: { field: 'price', direction: 'asc' } })).toBe('6 7 2 5 3 4');
      const tombstone = { id: '1', doc: null, position: at(2) };
      expect(await scene.store.load(BOOKINGS, ['1'])).toEqual(new Map([['1', tombstone]]));
      expect((await scanned(scene.store, BOOKINGS))[0]).toEqual(tombstone);
    });

    test('sees what a write changed', async () => {
      const write = { id: '1', doc: { city: 'Hue', price: 99, size: 1 }, position: at(2), loaded: at(1) };
      await scene.store.commit(BOOKINGS, [write], at(2));
      expect(await scene.found({ where: { city: 'Hanoi' } })).toBe('2 4');
      expect(await scene.found({ where: { city: 'Hue' }, sort: { field: 'price', direction: 'desc' } })).toBe('1 3');
    });
  });

  describe('values', () => {
    const MIXED: readonly TestDocument[] = [
      ...[null, -1, 0, 1, '', '0', '1', 'true', false, true].map((value, n) => ({ id: `${n}`, doc: { value } })),
      { id: '10', doc: {} },
    ];

    test.each<[Scalar | Scalar[], string]>([
      [null, '0 10'],
      [0, '2'],
      [1, '3'],
      ['', '4'],
      ['0', '5'],
      ['1', '6'],
      ['true', '7'],
      [false, '8'],
      [true, '9'],
      [[true, 0, '1', null], '0 10 2 6 9'],
    ])('%p equals only values of its type', async (value, ids) => {
      await scene.given(MIXED);
      expect(await scene.found({ where: { value } })).toBe(ids);
    });

    test.each<[Omit<NonNullable<Find['range']>, 'field'>, string]>([
      [{ from: 0 }, '2 3'],
      [{ to: 1 }, '1 2'],
      [{ from: -9, to: 9 }, '1 2 3'],
      [{ from: '' }, '4 5 6 7'],
      [{ to: '1' }, '4 5'],
      [{ from: '0', to: 'u' }, '5 6 7'],
    ])('the range %j holds only values of its type', async (ends, ids) => {
      await scene.given(MIXED);
      expect(await scene.found({ range: { field: 'value', ...ends } })).toBe(ids);
    });

    test(`any value is found, alone and in a list (seed ${SEED})`, async () => {
      await fc.assert(
        fc.asyncProperty(VALUES, async (values) => {
          await scene.store.drop(BOOKINGS);
          await scene.store.ensure(BOOKINGS, [['value']]);
          await scene.given(values.map((value, n) => ({ id: `${n}`, doc: { value } })));
          for (const [n, value] of values.entries()) {
            expect(await scene.found({ where: { value } })).toBe(`${n}`);
            expect(await scene.found({ where: { value: [value, 'no such value'] } })).toBe(`${n}`);
          }
        }),
        { seed: SEED, numRuns: 30 },
      );
    });

    test('sort as nothing, numbers, strings, booleans', async () => {
      await scene.given(MIXED);
      expect(await scene.found({ sort: { field: 'value', direction: 'asc' } })).toBe('0 10 1 2 3 4 5 6 7 8 9');
      expect(await scene.found({ sort: { field: 'value', direction: 'desc' } })).toBe('9 8 7 6 5 4 3 2 1 10 0');
    });

    test('strings sort by code point: an emoji after every character of the basic plane', async () => {
      const texts = ['', 'B', 'a', 'aa', 'z', 'é', 'ﾮ', '😀', '😀a'];
      await scene.given(texts.map((text, n) => ({ id: `${n}`, doc: { text } })).toReversed());
      expect(await scene.found({ sort: { field: 'text', direction: 'asc' } })).toBe('0 1 2 3 4 5 6 7 8');
      expect(await scene.found({ range: { field: 'text', from: 'ﾮ' } })).toBe('6 7 8');
    });

    test('ids sort by code point too', async () => {
      const ids = ['', 'B', 'a', 'aa', 'z', 'é', 'ﾮ', '😀', '😀a'];
      await scene.given(ids.map((id) => ({ id, doc: {} })).toReversed());
      expect(await scene.found({})).toBe(ids.join(' '));
      expect(idsOf(await scanned(scene.store, BOOKINGS))).toBe(ids.join(' '));
    });
  });

  describe('pages', () => {
    test(`together give the defined result (seed ${SEED})`, async () => {
      await fc.assert(
        fc.asyncProperty(
          DOCUMENTS,
          fc.array(QUESTION, { minLength: 4, maxLength: 8 }),
          async (documents, questions) => {
            await scene.store.drop(BOOKINGS);
            await scene.store.ensure(BOOKINGS, [['a', 'b'], ['b'], ['a', 'c']]);
            await scene.given(documents);
            expect(await scanned(scene.store, BOOKINGS)).toEqual(
              documents.toSorted(byId).map((document) => ({ ...document, position: at(1) })),
            );
            for (const { limit, ...query } of questions) {
              const items = answerByDefinition(documents, query);
              expect(await scene.store.find(BOOKINGS, { ...query, limit: 1_000 })).toEqual({ items, next: null });
              expect(await pagesOf(scene.store, { ...query, limit })).toEqual(chunksOf(items, limit));
            }
          },
        ),
        { seed: SEED, numRuns: 60 },
      );
    }, 60_000);

    test('of several values merged within a range follow each other without a gap', async () => {
      const others = [
        { id: '0', doc: { city: 'Saigon', price: 5 } },
        { id: '8', doc: { city: 'Hue', price: 20 } },
        { id: '9', doc: { city: 'Hanoi', price: 20 } },
        { id: '90', doc: { city: 'Bali', price: 20 } },
      ];
      await scene.given([...CITIES, ...others]);
      const pages = await pagesOf(scene.store, {
        where: { city: ['Hanoi', 'Hue', 'Saigon', ...Array.from({ length: 13 }, (_, n) => `City ${n}`)] },
        merge: 'city',
        range: { field: 'price', from: 12 },
        sort: { field: 'price', direction: 'asc' },
        limit: 2,
      });
      expect(pages.map(idsOf)).toEqual(['2 5', '8 9', '3 4']);
    });

    test('continue after the cursor while earlier documents change', async () => {
      await scene.given(CITIES);
      const query = { sort: { field: 'price', direction: 'desc' }, limit: 2 } as const;
      const first = await scene.store.find(BOOKINGS, query);
      expect(idsOf(first.items)).toBe('4 3');
      const writes: DocumentWrite[] = [
        { id: '3', doc: null, position: at(2), loaded: at(1) },
        { id: '9', doc: { price: 50 }, position: at(2), loaded: null },
      ];
      await scene.store.commit(BOOKINGS, writes, at(2));
      expect(await scene.found({ sort: query.sort, after: first.next ?? { value: null, id: '' } })).toEqual(
        '5 2 1 7 6',
      );
    });
  });
}

/** The items of every page. Cursors pass through JSON, as in the API. */
async function pagesOf(store: ReadModelStore, query: Find): Promise<Page['items'][]> {
  const pages: Page['items'][] = [];
  let after: Find['after'];
  do {
    const { items, next }: Page = await store.find(BOOKINGS, after === undefined ? query : { ...query, after });
    pages.push(items);
    const sent = JSON.parse(JSON.stringify(next));
    expect(next).toEqual(sent);
    after = sent ?? undefined;
  } while (after !== undefined && pages.length < 1_000);
  return pages;
}

function chunksOf<T>(items: readonly T[], size: number): T[][] {
  const count = Math.max(1, Math.ceil(items.length / size));
  return Array.from({ length: count }, (_, n) => items.slice(n * size, (n + 1) * size));
}
