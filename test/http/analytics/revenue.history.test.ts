import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { fillEventStore } from '../../../src/cli/generate/fill-event-store.ts';
import type { GeneratedKey } from '../../../src/cli/generate/generate-history.ts';
import { readConfig } from '../../../src/config.ts';
import type { CityName } from '../../../src/domain/activity/cities.ts';
import { type Currency, toDecimal } from '../../../src/domain/activity/money.ts';
import { localDate } from '../../../src/domain/activity/schedule.ts';
import type { BookingEvent } from '../../../src/domain/booking/events.ts';
import { decodeEvent } from '../../../src/domain/codecs.ts';
import { NOW, openService, type Service, withKey } from '../../support/service.ts';
import type { AnswerOf } from '../../support/service-answers.ts';
import { writeServiceCatalogue } from '../../support/service-catalogue.ts';

type Report = AnswerOf<'get /api/analytics/revenue'>;
type Statement = AnswerOf<'get /api/keys/self/statement'>;
type Sums = Readonly<Record<string, readonly [chargedMinor: number, refundedMinor: number]>>;

const PLAN = { bookings: 120, seed: 'revenue', days: 60, untilMs: NOW };

let service: Service;
let keys: readonly GeneratedKey[] = [];

beforeAll(async () => {
  service = await openService({
    async catalogue(directory) {
      writeServiceCatalogue(directory);
      const config = readConfig({ CATALOGUE_DIR: directory, DATA_DIR: join(directory, '..', 'data') });
      const made = await fillEventStore(config, PLAN, { signal: new AbortController().signal, report: () => {} });
      if (made.kind !== 'generated') throw new Error('no history was generated');
      ({ keys } = made);
    },
  });
});
afterAll(() => service.stop());

/** Adds amounts by a key that is made of texts. */
function sums(amounts: Iterable<readonly [key: readonly string[], chargedMinor: number, refundedMinor: number]>): Sums {
  const found = new Map<string, readonly [number, number]>();
  for (const [parts, charged, refunded] of amounts) {
    const key = parts.join(' ');
    const [before, refundedBefore] = found.get(key) ?? [0, 0];
    found.set(key, [before + charged, refundedBefore + refunded]);
  }
  return Object.fromEntries([...found].sort(([left], [right]) => (left < right ? -1 : 1)));
}

/** The charges and refunds of the bookings' streams: by local day, city, activity and currency. */
async function ofStreams(): Promise<Sums> {
  const cities = new Map<string, { readonly city: CityName; readonly activityId: string }>();
  const amounts: [string[], number, number][] = [];
  for (const stored of await service.events()) {
    if (!stored.stream.startsWith('booking-')) continue;
    const event = decodeEvent(stored) as BookingEvent;
    if ('activityId' in event.data) cities.set(stored.stream, event.data);
    if (event.type !== 'ChargeRecorded' && event.type !== 'RefundRecorded') continue;
    const booked = cities.get(stored.stream);
    if (booked === undefined) throw new Error(`${stored.stream} begins with an amount`);
    const { amountMinor, currency } = event.data;
    const day = localDate(booked.city, Date.parse(stored.cause.at));
    const charged = event.type === 'ChargeRecorded' ? amountMinor : 0;
    amounts.push([[day, booked.city, booked.activityId, currency], charged, amountMinor - charged]);
  }
  return sums(amounts);
}

const minor = (amount: unknown, currency: unknown): number =>
  Math.round(Number(amount) / toDecimal(1, String(currency) as Currency));

async function ofReport(columns: readonly string[]): Promise<Sums> {
  await service.documents('statements');
  const amounts: [string[], number, number][] = [];
  let cursor: string | null = '';
  while (cursor !== null) {
    const after: string = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`;
    const path = `/api/analytics/revenue?group_by=${columns.join()}&limit=50${after}`;
    const { data }: { data: Report } = await service.get<Report>(path, service.admin);
    for (const row of data.items) {
      const { charged, refunded, currency } = row;
      amounts.push([columns.map((name) => String(row[name])), minor(charged, currency), minor(refunded, currency)]);
    }
    cursor = data.next_cursor;
  }
  return sums(amounts);
}

async function ofStatements(): Promise<Sums> {
  const amounts: [string[], number, number][] = [];
  for (const { keyId, value } of keys)
    for (const month of ['2026-09', '2026-10', '2026-11']) {
      const { data } = await service.get<Statement>(`/api/keys/self/statement?month=${month}`, withKey(value));
      for (const { currency, charged, refunded } of data.totals)
        amounts.push([[keyId, currency], minor(charged, currency), minor(refunded, currency)]);
    }
  return sums(amounts);
}

describe('the revenue of a generated history', () => {
  const BY_DAY = ['day', 'city', 'activity_id', 'currency'];

  test('is what the streams of its bookings charge and refund', async () => {
    const expected = await ofStreams();
    expect(Object.values(expected).some(([, refundedMinor]) => refundedMinor > 0)).toBe(true);
    expect(await ofReport(BY_DAY)).toEqual(expected);
  });

  test('is that of the statements of all keys', async () => {
    const report = await ofReport(['key_id', 'currency']);
    expect(Object.keys(report).length).toBeGreaterThan(keys.length);
    expect(report).toEqual(await ofStatements());
  });

  test('is the same after a rebuild', async () => {
    const before = await ofReport(BY_DAY);
    expect(await service.rebuild('statements')).toMatchObject({ kind: 'rebuilt', differences: 0 });
    expect(await ofReport(BY_DAY)).toEqual(before);
  });
});
