import { expect } from 'bun:test';
import type { BookingEvent } from '../../../src/domain/booking/events.ts';
import { seededRandom } from '../../chaos/kill/random.ts';
import { pricingOf } from '../../support/expected-price.ts';
import { headOf } from '../../support/log-of-service.ts';
import { openService, type Service } from '../../support/service.ts';
import type { AnswerOf } from '../../support/service-answers.ts';
import { BookingLife } from './booking-life.ts';
import { anyOffer, Market } from './market.ts';

type Statement = AnswerOf<'get /api/keys/self/statement'>;
type Listed = AnswerOf<'get /api/b2a/bookings'>;

/** Plays the lives of bookings one after the other in one service; each has its own seed. Returns the cases that occurred. */
export async function playPrices(firstSeed: number, count: number): Promise<ReadonlySet<string>> {
  await using service = await openService({ settings: { ON_REQUEST_HOURS: '720' } });
  const market = new Market(service);
  const lives: BookingLife[] = [];
  for (let seed = firstSeed; seed < firstSeed + count; seed++) {
    const random = seededRandom(seed);
    try {
      lives.push(await BookingLife.play({ service, market, random }, anyOffer(random)));
    } catch (fault) {
      throw new Error(`seed ${seed} of the service that began with ${firstSeed}`, { cause: fault });
    }
  }
  await statementIsStreams(service, lives);
  await listsHavePrices(service, lives);
  return new Set(lives.flatMap(({ seen }) => [...seen]));
}

/** The statement, the streams and the calculation have the same sums. */
async function statementIsStreams(service: Service, lives: readonly BookingLife[]): Promise<void> {
  const inStreams = new Map<string, number>();
  const sums = new Map<string, [charged: number, refunded: number]>();
  const months = new Set<string>();
  for (const { stream, type, data, cause } of await service.events()) {
    if (!stream.startsWith('booking-')) continue;
    if (!type.startsWith('ChargeRecorded') && !type.startsWith('RefundRecorded')) continue;
    const { amountMinor, currency } = data as Extract<BookingEvent, { type: 'RefundRecorded' }>['data'];
    const charge = type.startsWith('Charge');
    const sum = sums.get(currency) ?? [0, 0];
    sum[charge ? 0 : 1] += amountMinor;
    sums.set(currency, sum);
    months.add(cause.at.slice(0, 7));
    const id = stream.slice('booking-'.length);
    inStreams.set(id, (inStreams.get(id) ?? 0) + (charge ? amountMinor : -amountMinor));
  }
  expect(lives.map(({ id }) => [id, inStreams.get(id) ?? 0])).toEqual(
    lives.map(({ id, price }) => [id, price.paidMinor]),
  );
  const stated = new Map<string, [charged: number, refunded: number]>();
  const headers = { ...service.key, 'x-position': await headOf(service) };
  for (const month of months) {
    const { data } = await service.get<Statement>(`/api/keys/self/statement?month=${month}`, headers);
    for (const { currency, charged, refunded } of data.totals) {
      const sum = stated.get(currency) ?? [0, 0];
      stated.set(currency, [sum[0] + Math.round(charged * 100), sum[1] + Math.round(refunded * 100)]);
    }
  }
  expect(Object.fromEntries(stated)).toEqual(Object.fromEntries(sums));
}

/** The list has the price of every booking. */
async function listsHavePrices(service: Service, lives: readonly BookingLife[]): Promise<void> {
  const listed = new Map<string, object>();
  const headers = { ...service.key, 'x-position': await headOf(service) };
  for (let cursor: string | null = ''; cursor !== null; ) {
    const after: string = cursor === '' ? '' : `&cursor=${cursor}`;
    const { data } = await service.get<Listed>(`/api/b2a/bookings?limit=100${after}`, headers);
    for (const { booking_id: id, pricing } of data.items) listed.set(id, pricing);
    cursor = data.next_cursor;
  }
  expect(lives.map(({ id }) => [id, listed.get(id)])).toEqual(
    lives.map(({ id, price, offer }) => [id, pricingOf(price, offer.currency)]),
  );
}
