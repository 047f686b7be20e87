import { expect, test } from 'bun:test';
import type { Activity } from '../../../src/domain/activity/activity.ts';
import { cachedActivities } from '../../../src/webhooks/activities-at.ts';
import { activityId, anActivity } from '../../support/examples.ts';

/** Entries that count how often each was read. */
function counted() {
  const read: string[] = [];
  const activityAt = async (id: string, revision: number): Promise<Activity | null> => {
    read.push(`${id}@${revision}`);
    return id === 'nothing' ? null : anActivity({ id: activityId(id) });
  };
  return { read, activityAt };
}

test('each revision of an entry is read once', async () => {
  const { read, activityAt } = counted();
  const kept = cachedActivities(activityAt);
  for (const revision of [0, 1, 0, 1])
    expect(await kept('jazz', revision)).toEqual(anActivity({ id: activityId('jazz') }));
  expect(read).toEqual(['jazz@0', 'jazz@1']);
});

test('a missing entry is not cached', async () => {
  const { read, activityAt } = counted();
  const kept = cachedActivities(activityAt);
  for (let time = 0; time < 2; time++) expect(await kept('nothing', 0)).toBeNull();
  expect(read).toEqual(['nothing@0', 'nothing@0']);
});

test('the cache does not grow beyond its limit', async () => {
  const { read, activityAt } = counted();
  const kept = cachedActivities(activityAt, 2);
  for (const id of ['a', 'b', 'c', 'b', 'c', 'a']) await kept(id, 0);
  expect(read).toEqual(['a@0', 'b@0', 'c@0', 'a@0']);
});
