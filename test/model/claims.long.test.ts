import { describe, expect, test } from 'bun:test';
import { FULL_LIFE } from './claims/life-scenarios.ts';
import { report } from './claims/report.ts';
import { FORGETFUL, RULES } from './claims/rules.ts';
import { FULL } from './claims/scenarios.ts';
import { search } from './claims/search.ts';

const TIMEOUT_MS = 1_800_000;

describe('the claims of a booking, in every order of their steps, with larger bounds', () => {
  for (const [rules, knowledge] of [
    [FORGETFUL, 'forgets each id as soon as it is released'],
    [{ ...FORGETFUL, knowsReleases: false }, 'does so, and requests know the number of no release'],
    [RULES, 'still knows each released id'],
  ] as const) {
    describe(`given an allotment that ${knowledge}`, () => {
      for (const scenario of [...FULL, ...FULL_LIFE]) {
        test(
          `and ${scenario.name}, every invariant holds in every world`,
          () => {
            const found = search(scenario, rules);
            process.stdout.write(report(scenario, found));
            expect(found.fault).toBeNull();
          },
          TIMEOUT_MS,
        );
      }
    });
  }
});
