import { expect, test } from 'bun:test';
import { keptDays } from '../../../src/app/shared-engines.ts';
import { MAX_PAUSE_MS, MAX_ROUND_DAYS, RETRY_DELAYS_MS } from '../../../src/domain/delivery/schedule.ts';
import { DAY_MS } from '../../../src/eventsourcing/durations.ts';

test('deliveries are kept for the days of the delivery log plus the longest round of attempts', () => {
  expect(keptDays({ webhookLogDays: 90 })).toEqual({ delivery: 97 });
  // Beside its pauses a round takes the time of six requests; an outage of the node is given a day.
  expect(MAX_ROUND_DAYS * DAY_MS).toBeGreaterThan(RETRY_DELAYS_MS.length * MAX_PAUSE_MS + DAY_MS);
});
