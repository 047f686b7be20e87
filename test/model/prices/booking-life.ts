import { expect } from 'bun:test';
import { HOUR_MS, MINUTE_MS } from '../../../src/eventsourcing/durations.ts';
import type { Random } from '../../chaos/kill/random.ts';
import {
  changed,
  type DatePolicy,
  type ExpectedPrice,
  paid,
  priced,
  pricingOf,
  refundOf,
  retainedOf,
  totalOf,
} from '../../support/expected-price.ts';
import { modify, quote } from '../../support/modifications.ts';
import { A_WISH, type Service } from '../../support/service.ts';
import type { AnswerOf, Booking } from '../../support/service-answers.ts';
import type { Offer } from '../sequences/reckoning.ts';
import type { Market } from './market.ts';

type CancelAnswer = AnswerOf<'post /api/b2a/bookings/:booking_id/cancel'>;

/** A moment of a change: what was paid, and what the service would have refunded for a cancellation. */
type Moment = { readonly paidMinor: number; readonly refundableMinor: number };

const MOST_GUESTS = 6;
const MOST_STEPS = 9;

/** The life of one booking: each answer about money is compared with the expected price. */
export class BookingLife {
  /** Which cases occurred. */
  readonly seen = new Set<string>();
  /** After the end: charges less refunds, and the currency. */
  price: ExpectedPrice;
  readonly offer: Offer;
  readonly #service: Service;
  readonly #market: Market;
  readonly #random: Random;
  readonly #booking: Pick<Booking, 'booking_id'>;
  readonly #moments: Moment[] = [];
  #date: string;
  #answerByMs: number;
  #confirmed: boolean;

  private constructor(
    { service, market, random }: Context,
    offer: Offer,
    date: string,
    booking: Booking,
    price: ExpectedPrice,
  ) {
    this.#service = service;
    this.#market = market;
    this.#random = random;
    this.offer = offer;
    this.#date = date;
    this.#answerByMs = offer.lastEntryMs(date);
    this.#booking = booking;
    this.#confirmed = !offer.onRequest;
    this.price = this.#confirmed ? paid(price) : price;
  }

  get id(): string {
    return this.#booking.booking_id;
  }

  /** Books, changes prices, time and the booking at random, and ends it. */
  static async play(context: Context, offer: Offer): Promise<BookingLife> {
    const { service, market, random } = context;
    let dates = market.dates(offer);
    if (dates.length === 0) service.clock.advance(12 * HOUR_MS);
    dates = market.dates(offer);
    const date = dates[random.whole(0, dates.length - 1)] ?? '';
    if (random.percent(50)) await market.deal(offer, random);
    const guests = random.whole(1, MOST_GUESTS);
    const price = priced(guests, market.present(offer, date));
    const { data } = await service.book({
      ...A_WISH,
      activity_id: offer.activity,
      booking_date: date,
      num_adults: guests,
    });
    const life = new BookingLife(context, offer, date, data, price);
    expect<object>(data.pricing).toEqual(pricingOf(price, offer.currency));
    const steps = random.whole(1, MOST_STEPS);
    for (let step = 0; step < steps && life.#open(); step++) await life.#step();
    if (life.#open()) await life.#end();
    return life;
  }

  /** Whether the booking can be changed and cancelled. A pending one is rejected at the first last entry of its dates. */
  #open(): boolean {
    const endsMs = this.#confirmed ? this.offer.hours(this.#date).closesAtMs : this.#answerByMs;
    return this.#service.clock.nowMs() < endsMs;
  }

  async #step(): Promise<void> {
    const random = this.#random;
    const what = random.whole(1, 100);
    if (what <= 22)
      return this.#service.clock.advance(random.pick([MINUTE_MS, HOUR_MS, 5 * HOUR_MS, 13 * HOUR_MS, 26 * HOUR_MS]));
    if (what <= 40 && this.#market.sells(this.offer, this.#date))
      return this.#market.reprice(this.offer, this.#date, random);
    if (what <= 48) return this.#market.deal(this.offer, random);
    if (what <= 60 && !this.#confirmed) return this.#confirm();
    return this.#change();
  }

  async #confirm(): Promise<void> {
    const { data } = await this.#service.post<Booking>(`/api/bookings/${this.id}/confirm`, {}, this.#service.admin);
    this.#confirmed = true;
    this.price = paid(this.price);
    this.seen.add(this.price.fares.length > 0 && 'lines' in data.pricing ? 'confirmed with lines' : 'confirmed');
    expect<object>(data.pricing).toEqual(pricingOf(this.price, this.offer.currency));
  }

  async #change(): Promise<void> {
    const random = this.#random;
    const { offer, price: before } = this;
    const dates = this.#market.dates(offer);
    const stays = (offer.onRequest && this.#confirmed) || dates.length === 0 || random.percent(55);
    const date = stays ? this.#date : (dates[random.whole(0, dates.length - 1)] ?? this.#date);
    const moves = date !== this.#date;
    const mayGrow = moves || (this.#market.sells(offer, date) && !(offer.onRequest && this.#confirmed));
    const guests = random.whole(1, mayGrow ? MOST_GUESTS : before.fares.length);
    const present = this.#market.present(offer, date);
    const what = { guests, moves, present, charged: this.#confirmed };
    const after = changed(before, what, this.#policy(), this.#service.clock.nowMs());
    const body = { booking_date: date, num_adults: guests, ...(random.percent(15) && { user_name: 'Augusta King' }) };
    await this.#noteMoment();
    const settled = after.paidMinor - before.paidMinor;
    const new_pricing = pricingOf(after, offer.currency);
    const quoted = (await quote(this.#service, this.#booking, body)).data;
    expect<object>({ new_pricing: quoted.new_pricing, charge: quoted.charge, refund: quoted.refund }).toEqual({
      new_pricing,
      charge: Math.max(0, settled) / 100,
      refund: Math.max(0, -settled) / 100,
    });
    if (random.percent(10)) await this.#refusesOtherTotal(body, totalOf(after));
    const expected = random.percent(30) ? { expected_total: totalOf(after) / 100 } : {};
    const { data } = await modify(this.#service, this.#booking, { ...body, ...expected });
    expect<object[]>([data.new_pricing, data.pricing]).toEqual([new_pricing, new_pricing]);
    this.#noteKinds(before, after, moves);
    this.price = after;
    this.#date = date;
    this.#answerByMs = Math.min(this.#answerByMs, offer.lastEntryMs(date));
  }

  async #refusesOtherTotal(body: object, totalMinor: number): Promise<void> {
    const { refusal } = await modify(this.#service, this.#booking, {
      ...body,
      expected_total: (totalMinor + 100) / 100,
    });
    expect([refusal.code, refusal.alternatives]).toEqual([
      'PRICE_CHANGED',
      [{ total: totalMinor / 100, currency: this.offer.currency }],
    ]);
    this.seen.add('another total expected');
  }

  #noteKinds(before: ExpectedPrice, after: ExpectedPrice, moves: boolean): void {
    const lines = 'lines' in pricingOf(after, '');
    const less = totalOf(before) - totalOf(after);
    if (lines) this.seen.add(this.#confirmed ? 'lines' : 'lines while pending');
    if (lines && after.fares.length < before.fares.length) this.seen.add('the last added left');
    if (moves && retainedOf(after) > 0) this.seen.add('retained at a move');
    if (retainedOf(before) > 0 && retainedOf(after) > retainedOf(before)) this.seen.add('retained more');
    if (less > 0 && before.paidMinor - after.paidMinor === 0 && this.#confirmed) this.seen.add('nothing refundable');
    if (retainedOf(after) > totalOf(after)) this.seen.add('more retained than the total');
  }

  /** Cancels, or lets the date pass. */
  async #end(): Promise<void> {
    const { price } = this;
    const byGuest = this.#random.percent(75);
    const refundableMinor = await this.#noteMoment();
    const reason = byGuest ? 'user_requested' : 'weather';
    const { data } = byGuest
      ? await this.#service.post<CancelAnswer>(`/api/b2a/bookings/${this.id}/cancel`, {}, this.#service.key)
      : await this.#service.post<CancelAnswer>(`/api/bookings/${this.id}/cancel`, { reason }, this.#service.admin);
    const refundMinor = byGuest ? refundableMinor : price.paidMinor;
    expect([data.reason, data.refund_amount]).toEqual([reason, refundMinor / 100]);
    this.price = { ...price, paidMinor: price.paidMinor - refundMinor };
    this.seen.add(byGuest ? 'cancelled by the guest' : 'cancelled for the weather');
    if (byGuest) this.#holdsBound();
  }

  /** Compares the quote of a cancellation with the calculation, and notes it for the bound. */
  async #noteMoment(): Promise<number> {
    const path = `/api/b2a/bookings/${this.id}/cancel`;
    const { data } = await this.#service.post<CancelAnswer>(path, { dry_run: true }, this.#service.key);
    const { price } = this;
    const refundableMinor = this.#confirmed ? refundOf(price, this.#policy(), this.#service.clock.nowMs()) : 0;
    expect(data.refund_amount).toBe(refundableMinor / 100);
    this.#moments.push({ paidMinor: price.paidMinor, refundableMinor: Math.round(data.refund_amount * 100) });
    return refundableMinor;
  }

  /** After a guest's cancellation, the key has paid at least what a cancellation at any moment would have left. */
  #holdsBound(): void {
    for (const { paidMinor, refundableMinor } of this.#moments)
      expect(this.price.paidMinor).toBeGreaterThanOrEqual(paidMinor - refundableMinor);
  }

  #policy(): DatePolicy {
    return { ...this.offer, opensAtMs: this.offer.hours(this.#date).opensAtMs };
  }
}

export type Context = { readonly service: Service; readonly market: Market; readonly random: Random };
