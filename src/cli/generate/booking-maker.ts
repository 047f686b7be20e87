import { executeBooking } from '../../application/booking/execute-booking.ts';
import { type HoldSlots, holdSlots } from '../../application/hold/hold-slots.ts';
import { releaseHold } from '../../application/hold/release-hold.ts';
import type { Activity } from '../../domain/activity/activity.ts';
import { cityFacts } from '../../domain/activity/cities.ts';
import type { AllotmentId, HoldId, KeyId } from '../../domain/ids.ts';
import { MINUTE_MS } from '../../eventsourcing/durations.ts';
import { reapClaims } from '../../processes/reap-claims/process-manager.ts';
import { recommend } from '../../recommend/recommend.ts';
import { NO_FILTERS } from '../../recommend/request.ts';
import { type BookingLife, unrefused } from './booking-life.ts';
import type { Moment, SimulatedService } from './simulated-service.ts';
import { guestOf, languageOf, profileOf } from './travellers.ts';
import { type Wish, wishAt } from './wishes.ts';

/** Shares of the bookings; and recommendations and holds that lead to no booking, per booking. */
const FROM_RECOMMENDATION = 0.1;
const FROM_HOLD = 0.05;
const WITH_KEY = 0.2;
const ONLY_RECOMMENDED = 0.1;
const ONLY_HELD = 0.05;

/** Holds are used or released within this time; an unused one expires. */
const LONGEST_HOLD_USE_MS = 8 * MINUTE_MS;
const HOLD_RELEASED = 0.5;
const LONGEST_THOUGHT_MS = 5 * MINUTE_MS;
const DECISION_MS = 10_000;
const IN_A_HOTEL = 0.2;
/** Degrees around the centre of a city. */
const NEARBY = 0.05;
const SHOWN = 10;
/** A refused booking is made otherwise so many times. */
const TRIES = 5;

type Recommended = { readonly logId: string; readonly wish: Wish };

/** Makes bookings, and the recommendations and holds around them. */
export class BookingMaker {
  recommendations = 0;
  holds = 0;
  /** Attempts that were refused, for example because the last slots were taken at the same time. */
  refused = 0;
  readonly #service: SimulatedService;
  readonly #life: BookingLife;
  readonly #keys: readonly KeyId[];
  readonly #popular: readonly Activity[];
  /** Makes the guests' names unique. */
  #guests = 0;

  constructor(service: SimulatedService, life: BookingLife, keys: readonly KeyId[], popular: readonly Activity[]) {
    [this.#service, this.#life, this.#keys, this.#popular] = [service, life, keys, popular];
  }

  /** Books, and continues the booking's life. Gives up if nothing has room. */
  async book(moment: Moment): Promise<void> {
    const { random } = moment;
    const number = ++this.#guests;
    if (random.chance(ONLY_RECOMMENDED)) await this.#recommended(random.pick(this.#keys), moment);
    if (random.chance(ONLY_HELD)) await this.#heldOnly(moment);
    for (let tries = 0; tries < TRIES; tries++) if (await this.#booked(number, moment)) return;
  }

  async #booked(number: number, moment: Moment): Promise<boolean> {
    const { random, context } = moment;
    const keyId = random.pick(this.#keys);
    const recommended = random.chance(FROM_RECOMMENDATION) ? await this.#recommended(keyId, moment) : null;
    const wish = recommended?.wish ?? wishAt(moment, this.#popular, this.#service);
    if (wish === null) return false;
    const contextLogId = recommended?.logId ?? null;
    const asked = { mode: 'live', keyId, ...wish, contextLogId } as const;
    const held = random.chance(FROM_HOLD) ? await this.#held(asked, moment) : null;
    const request = {
      ...asked,
      holdId: held?.id ?? null,
      idempotencyKey: random.chance(WITH_KEY) ? `order-${number}-${random.uint32()}` : null,
      guest: guestOf(number, random),
      language: random.chance(0.5) ? languageOf(random) : null,
      webhookUrl: null,
      expectedTotal: null,
    };
    const booked = await executeBooking(request, moment.cause(keyId), context);
    if (booked.kind === 'refused') {
      this.refused++;
      if (booked.refusal.code === 'SERVICE_UNAVAILABLE') unrefused(booked);
      if (held !== null) await this.#expired(held, moment);
      return false;
    }
    await this.#life.began(booked, moment);
    return true;
  }

  /** One of the shown activities, after a while; null if nothing was found. */
  async #recommended(keyId: KeyId, moment: Moment): Promise<Recommended | null> {
    const { random, context } = moment;
    const { city } = random.pick(this.#popular);
    const { lat, lon } = cityFacts(city);
    const hotels = [...context.hotels().values()].filter((hotel) => hotel.city === city);
    const hotel = hotels.length > 0 && random.chance(IN_A_HOTEL) ? random.pick(hotels) : null;
    const nearby = (): number => (random.fraction() - 0.5) * NEARBY;
    const party = { numAdults: random.pick([1, 2, 2, 4]), numChildren: 0 };
    const request = {
      keyId,
      mode: 'live',
      profile: profileOf(random),
      place: { city, position: hotel ?? { lat: lat + nearby(), lon: lon + nearby() }, hotel, hotelGrant: null },
      filters: NO_FILTERS,
      days: null,
      guests: party.numAdults,
      limit: SHOWN,
      includeFlashDeals: true,
      exploration: true,
      language: languageOf(random),
    } as const;
    const answer = await recommend(request, moment.cause(keyId), context);
    if (answer.kind === 'unavailable') throw new Error(`no recommendation: ${answer.reason}`);
    if (answer.kind === 'nothing') return null;
    this.recommendations++;
    moment.pass(random.below(LONGEST_THOUGHT_MS));
    const { activity, date } = random.pick(answer.shown);
    return { logId: answer.logId, wish: { activityId: activity.id, date, ...party } };
  }

  async #held(asked: Omit<HoldSlots, 'idempotencyKey'>, moment: Moment): Promise<Held | null> {
    const held = await holdSlots({ ...asked, idempotencyKey: null }, moment.cause(asked.keyId), moment.context);
    if (held.kind === 'refused') return null;
    this.holds++;
    moment.pass(moment.random.below(Math.min(LONGEST_HOLD_USE_MS, held.hold.expiresAtMs - moment.nowMs())));
    return { id: held.id, allotment: held.facts.allotment, expiresAtMs: held.hold.expiresAtMs };
  }

  /** A hold that its caller releases, or that expires. */
  async #heldOnly(moment: Moment): Promise<void> {
    const { random, context } = moment;
    const keyId = random.pick(this.#keys);
    const wish = wishAt(moment, this.#popular, this.#service);
    const held = wish && (await this.#held({ mode: 'live', keyId, ...wish, contextLogId: null }, moment));
    if (held === null) return;
    if (random.chance(HOLD_RELEASED)) unrefused(await releaseHold(held.id, keyId, moment.cause(keyId), context));
    else await this.#expired(held, moment);
  }

  /** As the claim reaper does it. */
  async #expired({ id: holdId, allotment, expiresAtMs }: Held, moment: Moment): Promise<void> {
    moment.pass(Math.max(0, expiresAtMs - moment.nowMs()));
    const command = { type: 'ReleaseHold', holdId } as const;
    const deadlineMs = moment.nowMs() + DECISION_MS;
    const { allotments } = moment.context.streams;
    const reply = await allotments.handle(allotment, command, moment.cause(reapClaims.name), deadlineMs);
    if (reply.kind !== 'accepted') throw new Error(`the expired hold ${holdId} was not released: ${reply.kind}`);
  }
}

type Held = { readonly id: HoldId; readonly allotment: AllotmentId; readonly expiresAtMs: number };
