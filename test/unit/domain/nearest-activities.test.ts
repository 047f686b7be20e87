import { describe, expect, test } from 'bun:test';
import type { Activity } from '../../../src/domain/activity/activity.ts';
import { nearestActivities } from '../../../src/domain/activity/nearest-activities.ts';
import { LANGUAGES } from '../../../src/domain/activity/vocabulary.ts';

import { activityId, anActivity } from '../../support/examples.ts';

const THAI = 'ทัวร์บ้านจิม ทอมป์สัน';
const JAPANESE = 'バンブーバーのジャズ';

function titled(id: string, titles: Partial<Record<(typeof LANGUAGES)[number], string>>): Activity {
  const texts = LANGUAGES.map((language) => [
    language,
    { title: titles[language] ?? id, description: id, checkIn: id },
  ]);
  return anActivity({ id: activityId(id), texts: Object.fromEntries(texts) as Activity['texts'] });
}

const ACTIVITIES = [
  titled('bkk-jim-thompson-house-tour', { en: 'Jim Thompson House: guided tour of the home', th: THAI }),
  titled('bkk-bamboo-bar-jazz', { en: 'Live jazz at The Bamboo Bar', ja: JAPANESE }),
  titled('bkk-bamboo-rafting', { en: 'Bamboo rafting' }),
];
const near = (text: string, most = 5): readonly string[] =>
  nearestActivities(text, ACTIVITIES, most).map(({ id }) => id);

describe('the nearest activities', () => {
  test.each([
    ['bkk-jim-thomson-house-tour', ['bkk-jim-thompson-house-tour']],
    ['Jim Thompson House', ['bkk-jim-thompson-house-tour']],
    ['jim_thompson_house', ['bkk-jim-thompson-house-tour']],
    [THAI, ['bkk-jim-thompson-house-tour']],
    [JAPANESE, ['bkk-bamboo-bar-jazz']],
    ['Bamboo', ['bkk-bamboo-rafting', 'bkk-bamboo-bar-jazz']],
    ['act_12345', []],
    ['', []],
    ['b', []],
    ['--', []],
  ])('of %p are %j', (text, ids) => {
    expect(near(text)).toEqual(ids);
  });

  test('are at most as many as wanted', () => {
    expect(near('Bamboo', 1)).toEqual(['bkk-bamboo-rafting']);
  });

  test('are searched among the first 1,000: a refusal takes bounded time', () => {
    let read = 0;
    function* many(): Generator<Activity> {
      for (; read < 100_000; read++) yield titled(`walk-${read}`, {});
    }
    expect(nearestActivities('walk', many(), 2)).toHaveLength(2);
    expect(read).toBeLessThanOrEqual(1_000);
  });
});
