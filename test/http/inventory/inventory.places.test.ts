import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { openService, type Service } from '../../support/service.ts';
import { refused } from '../../support/service-answers.ts';

let service: Service;
beforeAll(async () => {
  service = await openService();
});
afterAll(() => service.stop());

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
