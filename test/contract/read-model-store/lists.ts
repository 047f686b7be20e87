import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import type { Cursor, Find } from '../../../src/ports/read-model-store.ts';
import { faultOf } from '../../support/fault.ts';
import { at, BOOKINGS, idsOf, type Scene, SEED } from './scene.ts';

const INDEX = [['words[]', 'at']];
const NEWEST = { field: 'at', direction: 'desc' } as const;
type Listed = {
  readonly id: string;
  readonly doc: { readonly words?: readonly string[] | null; readonly at?: string };
};

const GUESTS: readonly Listed[] = [
  { id: '1', doc: { words: ['ada', 'lovelace'], at: 'T1' } },
  { id: '2', doc: { words: ['ada', 'byron', 'ada'], at: 'T3' } },
  { id: '3', doc: { words: ['grace'], at: 'T2' } },
  { id: '4', doc: { words: ['ada'], at: 'T1' } },
  { id: '5', doc: { words: [], at: 'T4' } },
  { id: '6', doc: { words: null, at: 'T4' } },
  { id: '7', doc: {} },
];

/** Find: documents with a text of a list. */
export function lists(scene: Scene): void {
  const having = (text: string): Omit<Find, 'limit'> => ({ holds: { field: 'words', text }, sort: NEWEST });

  async function given(documents: readonly Listed[] = GUESTS): Promise<void> {
    await scene.store.ensure(BOOKINGS, INDEX);
    const writes = documents.map(({ id, doc }) => ({ id, doc, position: at(1), loaded: null }));
    await scene.store.commit(BOOKINGS, writes, at(1));
    await scene.store.ensure(BOOKINGS, INDEX);
  }

  describe('find a text of a list', () => {
    test.each([
      ['ada', '2 4 1'],
      ['grace', '3'],
      ['ad', ''],
      ['', ''],
      [`ada' OR ''='`, ''],
    ])('%p, each document once, in the order of the sort', async (text, ids) => {
      await given();
      expect(await scene.found(having(text))).toBe(ids);
      expect(await scene.found({ ...having(text), sort: { field: 'at', direction: 'asc' } })).toBe(
        ids.split(' ').toReversed().join(' '),
      );
    });

    test('in pages, ties by id', async () => {
      await given();
      const ids: string[] = [];
      for (let after: Cursor | undefined, n = 0; n < 3; n++) {
        const page = await scene.store.find(BOOKINGS, { ...having('ada'), limit: 1, ...(after && { after }) });
        ids.push(idsOf(page.items));
        expect(page.items[0]?.doc).toEqual(GUESTS.find(({ id }) => id === ids[n])?.doc ?? {});
        expect(page.next === null).toBe(n === 2);
        after = page.next ?? undefined;
      }
      expect(ids).toEqual(['2', '4', '1']);
    });

    test('follows changes and deletions, and a lost write changes nothing', async () => {
      await given();
      const write = (id: string, doc: object | null, loaded = at(1)) => ({ id, doc, position: at(2), loaded });
      await scene.store.commit(
        BOOKINGS,
        [
          write('1', { words: ['lovelace', 'king'], at: 'T1' }),
          write('2', null),
          write('3', { words: ['ada'], at: 'T9' }),
          write('4', { words: ['grace'], at: 'T9' }, at(0)),
        ],
        at(2),
      );
      expect(await scene.found(having('ada'))).toBe('3 4');
      expect(await scene.found(having('grace'))).toBe('');
      expect(await scene.found(having('king'))).toBe('1');
      expect(await scene.found(having('lovelace'))).toBe('1');
      expect(await scene.found(having('byron'))).toBe('');
    });

    test('an index that is declared later has the documents that exist', async () => {
      await scene.given([{ id: '0', doc: {} }]);
      const writes = GUESTS.map(({ id, doc }) => ({ id, doc, position: at(2), loaded: null }));
      await scene.store.commit(BOOKINGS, writes, at(2));
      await scene.store.ensure(BOOKINGS, INDEX);
      await scene.store.ensure(BOOKINGS, INDEX);
      expect(await scene.found(having('ada'))).toBe('2 4 1');
    });

    test('a dropped collection has no entries when it is created again, and its lists are no collections', async () => {
      await given();
      expect(await scene.store.collections()).toEqual([BOOKINGS]);
      await scene.store.drop(BOOKINGS);
      expect(await scene.store.collections()).toEqual([]);
      await given([]);
      expect(await scene.found(having('ada'))).toBe('');
    });

    test(`any list of texts (seed ${SEED})`, async () => {
      const text = fc.constantFrom<string[]>('a', 'é', '\uffee', '😀', "'", 'ab', '$a');
      const doc = fc.record({
        words: fc.array(text, { maxLength: 5 }),
        at: fc.constantFrom<string[]>('T1', 'T2', 'T3'),
      });
      await fc.assert(
        fc.asyncProperty(fc.array(fc.array(doc, { maxLength: 8 }), { minLength: 1, maxLength: 3 }), async (rounds) => {
          await scene.store.drop(BOOKINGS);
          await given([]);
          const present = new Map<string, { words: readonly string[]; at: string }>();
          for (const [round, docs] of rounds.entries()) {
            const writes = docs.map((each, n) => {
              const loaded = present.has(`${n}`) ? at(round + 1) : null;
              return { id: `${n}`, doc: each, position: at(round + 2), loaded };
            });
            // A document that this round lacks is written again as it is, so that all have one position.
            for (const [id, kept] of present)
              if (!writes.some((write) => write.id === id))
                writes.push({
                  id,
                  doc: { ...kept, words: [...kept.words] },
                  position: at(round + 2),
                  loaded: at(round + 1),
                });
            await scene.store.commit(BOOKINGS, writes, at(round + 2));
            for (const write of writes) present.set(write.id, write.doc);
          }
          for (const searched of ['a', 'é', '\uffee', '😀', "'", 'ab', '$a']) {
            const expected = [...present]
              .filter(([, { words }]) => words.includes(searched))
              .sort(([left, a], [right, b]) => (a.at === b.at ? right.localeCompare(left) : b.at.localeCompare(a.at)));
            expect(await scene.found(having(searched))).toBe(expected.map(([id]) => id).join(' '));
          }
        }),
        { seed: SEED, numRuns: 20 },
      );
    }, 60_000);

    test.each<[string, Partial<Find>]>([
      ['no sort', { sort: undefined as never }],
      ['another condition', { where: { at: 'T1' } }],
      ['a range', { range: { field: 'at', from: 'T1' } }],
    ])('rejects with a RangeError: %s', async (_, change) => {
      await given();
      expect(await faultOf(() => scene.store.find(BOOKINGS, { ...having('ada'), limit: 1, ...change }))).toBeInstanceOf(
        RangeError,
      );
    });

    test.each([[['words[]']], [['words[]', 'at', 'id']]])('no index of a list is %j', async (index) => {
      expect(await faultOf(() => scene.store.ensure(BOOKINGS, [index]))).toBeInstanceOf(RangeError);
    });
  });
}
