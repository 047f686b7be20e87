import { expect, test } from 'bun:test';
import type { StoredEvent } from '../../../src/ports/event-store.ts';
import { scene } from './follower-scene.ts';

test('a reader does not apply an event that it left out before, although it could apply it now', async () => {
  await using at = scene();
  const position = await at.append('a', 'b', 'a');
  const [first = '', last = ''] = at.idsOf(['a']);
  const added: StoredEvent['id'][] = [];
  const leftOut = {
    load: () => Promise.resolve(),
    has: (id: string) => id === first,
    add: async ({ id }: { readonly id: string }) => added.push(id) > 0,
  };
  const reader = at.read(['a'], { leftOut });
  expect(await reader.progress.reached(position, 10_000)).toBe(true);
  expect(reader.applied).toEqual([last]);
  await at.joined();
  expect(added).toEqual([]);
});
