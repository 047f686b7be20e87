import { describe, expect, test } from 'bun:test';
import { FULL_LIFE } from './claims/life-scenarios.ts';
import { report } from './claims/report.ts';
import { RULES } from './claims/rules.ts';
import { FULL } from './claims/scenarios.ts';
import { search } from './claims/search.ts';

const TIMEOUT_MS = 1_800_000;

describe('the claims of a booking, in every order of their steps, with larger bounds', () => {
  for (const scenario of [...FULL, ...FULL_LIFE]) {
    test(
      `given ${scenario.name}, every invariant holds in every world`,
      () => {
        const found = search(scenario, RULES);
        process.stdout.write(report(scenario, found));
        expect(found.fault).toBeNull();
      },
      TIMEOUT_MS,
    );
  }
});
