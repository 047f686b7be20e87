import { describe, expect, test } from 'bun:test';
import { AGE_GROUPS, CATEGORIES, TRAVEL_TYPES } from '../../../src/domain/activity/vocabulary.ts';
import { armOf } from '../../../src/domain/experiment/assignment.ts';
import { BUDGETS, type TravelProfile } from '../../../src/domain/recommendation/profile.ts';
import { keyId } from '../../support/examples.ts';
import { experimentFacts, experimentId } from '../../support/experiments.ts';

const COUPLE: TravelProfile = {
  travelType: 'couple',
  nationality: 'DE',
  interests: ['spa', 'cultural'],
  budget: 'mid',
  ageGroup: 'adult',
};

/** Every profile without nationality and with one interest. */
const PROFILES: readonly TravelProfile[] = TRAVEL_TYPES.flatMap((travelType) =>
  [null, ...BUDGETS].flatMap((budget) =>
    [null, ...AGE_GROUPS].flatMap((ageGroup) =>
      CATEGORIES.map((category) => ({ travelType, nationality: null, interests: [category], budget, ageGroup })),
    ),
  ),
);

const shared = (first: number, id = 'exp_1') => {
  const [one, two] = experimentFacts().arms;
  const arms = [
    { ...one, sharePercent: first },
    { ...two, sharePercent: 100 - first },
  ] as const;
  return experimentFacts({ experimentId: experimentId(id), arms });
};
const nameOf = (...args: Parameters<typeof armOf>): string => armOf(...args).model.name;

describe('the arm of a traveller', () => {
  test.each([1, 10, 50, 80, 99])('is the first one with a share of %i %%, within a binomial bound', (percent) => {
    const experiment = shared(percent);
    const keys = Array.from({ length: 10 }, (_, index) => keyId(`key_${index}`));
    const travellers = keys.flatMap((key) => PROFILES.map((profile) => nameOf(experiment, key, profile)));
    const share = percent / 100;
    const deviation = Math.sqrt(travellers.length * share * (1 - share));
    const first = travellers.filter((name) => name === 'default').length;
    expect(Math.abs(first - travellers.length * share)).toBeLessThan(4 * deviation);
  });

  test('is the same whatever the order of the interests, and however often one is named', () => {
    for (let number = 0; number < 50; number++) {
      const experiment = shared(50, `exp_${number}`);
      const arm = nameOf(experiment, keyId('key_1'), COUPLE);
      for (const interests of [['cultural', 'spa'] as const, ['spa', 'cultural', 'spa'] as const])
        expect(nameOf(experiment, keyId('key_1'), { ...COUPLE, interests })).toBe(arm);
    }
  });

  test.each<[string, (number: number) => string]>([
    ['key', (number) => nameOf(shared(50), keyId(`key_${number}`), COUPLE)],
    ['experiment', (number) => nameOf(shared(50, `exp_${number}`), keyId('key_1'), COUPLE)],
    ['profile', (number) => nameOf(shared(50), keyId('key_1'), PROFILES[number * 7] ?? COUPLE)],
  ])('depends on the %s', (_, armWith) => {
    const arms = Array.from({ length: 40 }, (_each, number) => armWith(number));
    expect(new Set(arms)).toEqual(new Set(['default', 'power-4']));
  });
});
