import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { openService, type Service } from '../../support/service.ts';
import { refused } from '../../support/service-answers.ts';

let service: Service;
beforeAll(async () => {
  service = await openService();
});
afterAll(() => service.stop());

describe('a city', () => {
  test.each([
    ['Ubud', 'Bali'],
    ['Ubud, Bali, Indonesia', 'Bali'],
    ['曼谷', 'Bangkok'],
    ['bangkok', 'Bangkok'],
    ['Sentosa', 'Singapore'],
    ['TP. Hồ Chí Minh', 'Ho Chi Minh'],
  ])('written %p is %s, and the answer says so', async (text, city) => {
    const answer = await service.inventory(`city=${encodeURIComponent(text)}`);
    if (answer.status === 404) expect(answer.refusal.error).toInclude(`in ${city}`);
    else expect(answer.data).toMatchObject({ metadata: { city }, interpreted: { city: { given: text, taken: city } } });
  });

  test('in its canonical name is not interpreted', async () => {
    expect((await service.inventory('city=Bangkok')).data).not.toHaveProperty('interpreted');
  });

  test('that is misspelt is refused with the nearest one first', async () => {
    const { refusal } = await service.inventory('city=Bangkk');
    expect(refusal.error).toBe('city "Bangkk" is not a known place; did you mean "Bangkok"?');
    expect([refusal.code, refusal.alternatives?.[0], refusal.alternatives?.length]).toEqual([
      'INVALID_CITY',
      { city: 'Bangkok' },
      16,
    ]);
  });

  test('between several is refused with these first', async () => {
    const { refusal } = await service.inventory('city=Phang+Nga');
    expect(refusal.error).toBe('city "Phang Nga" names no single city; send one of Phuket, Krabi.');
    expect(refusal.alternatives?.slice(0, 2)).toEqual([{ city: 'Phuket' }, { city: 'Krabi' }]);
  });
});

describe('an activity', () => {
  test('that does not exist, or is in another city, is ACTIVITY_NOT_FOUND', async () => {
    const notFound = (sentence: string) => refused(404, 'ACTIVITY_NOT_FOUND', sentence, { resolution: 'choose_other' });
    expect((await service.inventory('activity_id=atlantis')).refusal).toEqual(
      notFound('activity_id "atlantis" does not exist; take one from inventory.'),
    );
    expect((await service.inventory('activity_id=river-walk&city=Singapore')).refusal).toEqual({
      ...notFound('activity_id "river-walk" does not exist in Singapore; it is in Bangkok.'),
      alternatives: [{ activity_id: 'river-walk', title: 'River Walk (en)' }],
    });
    expect((await service.inventory('activity_id=rivr-walk')).refusal).toEqual({
      ...notFound('activity_id "rivr-walk" does not exist; did you mean "river-walk" (River Walk (en))?'),
      alternatives: [{ activity_id: 'river-walk', title: 'River Walk (en)' }],
    });
  });
});
