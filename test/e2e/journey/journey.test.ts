import { describe, expect, test } from 'bun:test';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../../../src/adapters/system/clock.ts';
import { runJourney } from '../../../src/cli/journey/journey.ts';
import type { StepResult } from '../../../src/cli/journey/step.ts';
import { PLAN_LIMITS } from '../../../src/domain/apikey/apikey.ts';
import { NOW } from '../../support/service.ts';
import { assertContract } from './contract.ts';
import { copyCatalogue, differences, open, run } from './run.ts';

const STEPS = [
  'service readiness',
  'API key with a webhook receiver',
  'health',
  'rate limits',
  'recommendation',
  'inventory of today',
  'gate device',
  'price quote by a dry run',
  'booking',
  'idempotent repetition',
  'booking by its id',
  'inventory after the booking',
  'voucher page',
  'voucher QR code and its signature',
  'voucher mail',
  'webhook booking_confirmed',
  'webhook voucher_delivered',
  'visits before the check-in',
  'gate check-in',
  'second scan',
  'webhook qr_verified',
  'event sequence',
  'delivery log',
  'conversions',
  'visits after the check-in',
  'recommendation after the visit',
  'another date with free slots',
  'hold',
  'booking of the hold',
  'booking change',
  'webhook booking_modified',
  'cancellation and refund',
  'webhook booking_cancelled',
  'statement',
  'MCP tools',
  'MCP inventory tool',
  'API reference',
  'gate device removal',
  'key deactivation',
];

const BOOK = 'POST /api/b2a/execute_booking';
/** Eleven at night in Bangkok. */
const LATE = Date.parse('2026-11-21T16:00:00Z');

/** Only activities that close in the afternoon. */
function copyCatalogueOfTheDay(directory: string): void {
  copyCatalogue(directory);
  const file = join(directory, 'bangkok.json');
  const city: City = JSON.parse(readFileSync(file, 'utf8'));
  const activities = city.activities.filter(
    ({ opening: { sat } }) => sat && sat.open < sat.close && sat.close < '19:00',
  );
  writeFileSync(file, JSON.stringify({ ...city, hotels: [], activities }));
}

type City = {
  readonly activities: readonly {
    readonly opening: { readonly sat?: { readonly open: string; readonly close: string } };
  }[];
};

describe('the journey', () => {
  test('passes every step, and each answer and delivery keeps the contract', async () => {
    await using service = await open(NOW);
    const { journey, results, recording } = await run(service);
    expect(differences(results)).toEqual([]);
    expect(results.map(({ name }) => name)).toEqual(STEPS);
    expect(journey).toMatchObject({ kept: STEPS.length, differing: 0, leftOut: 0 });
    await assertContract(recording, NOW, join(service.directory, 'outbox'));
    const counted = recording.exchanges.filter(({ headers }) => headers.has('ratelimit'));
    expect(counted.length).toBeLessThan(PLAN_LIMITS.basic?.perMinute ?? 0);
  });

  test('books for a later day and leaves the visit out if nothing can be entered any more today', async () => {
    await using service = await open(LATE, copyCatalogueOfTheDay);
    const { journey, results, recording } = await run(service);
    expect(differences(results)).toEqual([]);
    expect(results.filter(({ outcome }) => outcome === 'left out').map(({ name }) => name)).toEqual([
      'inventory after the booking',
      'visit and its effects',
    ]);
    expect(journey.leftOut).toBe(2);
    await assertContract(recording, LATE, join(service.directory, 'outbox'));
  });

  test('ends at a step that failed, and deletes what it created', async () => {
    await using service = await open(NOW);
    const broken = new Response('{"success":false,"code":"INTERNAL_ERROR"}', { status: 500 });
    const answer = (operation: string, given: Response): Response => (operation === BOOK ? broken : given);
    const { results } = await run(service, { answer });
    expect(results.slice(-3).map(({ name, outcome }) => [name, outcome])).toEqual([
      ['price quote by a dry run', 'differs'],
      ['gate device removal', 'kept'],
      ['key deactivation', 'kept'],
    ]);
  });

  test('reports that the service does not answer', async () => {
    const results: StepResult[] = [];
    const fetch = () => Promise.reject(new Error('Unable to connect'));
    const report = (result: StepResult) => void results.push(result);
    await runJourney({ url: 'http://localhost', adminToken: 'token', fetch, clock: systemClock, report });
    expect(results).toMatchObject([
      {
        name: 'service readiness',
        outcome: 'differs',
        differences: [{ expected: 'an answer of the service', found: 'Error: Unable to connect' }],
      },
    ]);
  });
});
