import { expect, test } from 'bun:test';
import { FoldedTexts } from '../../../src/http/catalogue/search.ts';
import { activityId, anActivity } from '../../support/examples.ts';

const MAX = 10;

test('the texts of a bounded number of activities stay folded, and those of a changed one are folded again', () => {
  const texts = new FoldedTexts(MAX);
  const activities = Array.from({ length: 3 * MAX }, (_, index) => anActivity({ id: activityId(`a${index}`) }));
  for (const activity of [...activities, ...activities]) expect(texts.of(activity).titles).not.toBe('');
  expect(texts.size).toBe(MAX);
  expect(activities.map((activity) => texts.has(activity))).toEqual(activities.map((_, index) => index < MAX));
  const first = activities[0] as (typeof activities)[number];
  const en = { ...first.texts.en, title: 'Névé walk' };
  const changed = { ...first, texts: { ...first.texts, en } };
  expect(texts.of(changed).titles).toStartWith('nevewalk');
  expect([texts.has(changed), texts.has(first), texts.size]).toEqual([true, false, MAX]);
});
