import { expect, test } from 'bun:test';
import { LONGEST_PAUSE_MS, LONGEST_ROUND_DAYS, RETRY_DELAYS_MS } from '../../../src/domain/delivery/schedule.ts';
import { keptDays } from '../../../src/roles/shared-engines.ts';

const DAY_MS = 86_400_000;

test('deliveries are kept for as long as the log shows them and, after that, as a round of attempts may take', () => {
  expect(keptDays({ webhookLogDays: 90 })).toEqual({ delivery: 97 });
  // Beside its pauses a round takes the time of six requests; an outage of the node is given a day.
  expect(LONGEST_ROUND_DAYS * DAY_MS).toBeGreaterThan(RETRY_DELAYS_MS.length * LONGEST_PAUSE_MS + DAY_MS);
});
