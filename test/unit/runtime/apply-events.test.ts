import { expect, spyOn, test } from 'bun:test';
import { openReadModelStore } from '../../../src/adapters/sqlite/read-model-store.ts';
import { START } from '../../../src/eventsourcing/message.ts';
import type { Projection } from '../../../src/eventsourcing/projection.ts';
import { applyBatch } from '../../../src/runtime/apply-events.ts';
import { positionAt, recorder } from '../../support/recorded.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

const EVENTS = 40;
const DOCUMENTS_OF_AN_EVENT = 600;

type Listed = { readonly type: 'Listed'; readonly data: { readonly ids: readonly string[] } };

const projection: Projection<{ readonly times: number }, Listed> = {
  name: 'mentions',
  version: 1,
  categories: ['list'],
  indexes: [],
  idsOf: ({ data }) => data.ids,
  evolve: (doc) => ({ times: (doc?.times ?? 0) + 1 }),
};

test('a batch that touches many documents is applied in parts, each once, up to its end', async () => {
  using directory = temporaryDirectory();
  const readModels = openReadModelStore(directory.file('read-models.db'));
  await readModels.ensure('mentions.v1.b1', []);
  const record = recorder();
  const events = Array.from({ length: EVENTS }, (_, list) =>
    record(`list-${list}`, {
      type: 'Listed',
      // Each event shares a document with all others.
      data: { ids: ['all', ...Array.from({ length: DOCUMENTS_OF_AN_EVENT - 1 }, (__, id) => `${list}-${id}`)] },
    } as const),
  );
  const upTo = positionAt(EVENTS + 5);
  using load = spyOn(readModels, 'load');

  const apply = () => applyBatch(projection, 'mentions.v1.b1', readModels, { events, after: START, upTo });
  await apply();
  await apply();

  expect(Math.max(...load.mock.calls.map(([, ids]) => ids.length))).toBeLessThanOrEqual(10_000);
  const documents = await readModels.load('mentions.v1.b1', ['all', '0-0', `${EVENTS - 1}-0`]);
  expect([...documents.values()].map(({ id, doc, position }) => [id, doc, position])).toEqual([
    ['all', { times: EVENTS }, positionAt(EVENTS)],
    ['0-0', { times: 1 }, positionAt(1)],
    [`${EVENTS - 1}-0`, { times: 1 }, positionAt(EVENTS)],
  ]);
  expect(await readModels.checkpoint('mentions.v1.b1')).toBe(upTo);
  await readModels.close();
});
