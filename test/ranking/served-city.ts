import { mkdirSync } from 'node:fs';
import { SeededRandom } from '../../src/cli/generate/seeded-random.ts';
import { DAY_MS, HOUR_MS } from '../../src/eventsourcing/durations.ts';
import { type Credentials, NOW, openService, type Service, withDevice, withKey } from '../support/service.ts';
import type { Recommendations } from '../support/service-answers.ts';
import { entry, writeCatalogueFile } from '../support/service-catalogue.ts';
import { meanOf, ndcgOf } from './measures.ts';
import { KEYS, nextKey, nextWishes } from './request.ts';
import { type City, cityOf, rateOfTraveller, type SyntheticActivity, type World } from './world.ts';

/** What the service made of a synthetic city. */
export type Served = {
  /** Of the order that a key without exploration gets, over the first and the last tenth of the travellers. */
  readonly ndcg: { readonly first: number; readonly last: number };
  readonly bookings: number;
  readonly visits: number;
};

const VENUE = 'synthetic-venue';
const CAPACITY = 100_000;
const ALL_DAY = { open: '00:01', last_entry: '23:58', close: '23:59' };
const DURATION_MS = 90 * DAY_MS;
/** A booking is for one of so many days, from the next one on. */
const LATEST_VISIT_DAYS = 4;
const WALK_INS = 0.006;
/** As in simulate.ts. */
const MOST_CERTAIN = 0.9;

/** `day`: days since the epoch, at the city. */
type Ticket = { readonly code: string; readonly day: number };
type Order = Recommendations['recommendations'];

/**
 * A synthetic city on the running service: its travellers ask, book for one of the next days and are scanned at the gate, all by
 * requests. The service's clock moves DURATION_MS. The random log ids decide which answers explore.
 */
export async function serveCity(world: World, seed: number): Promise<Served> {
  const random = SeededRandom.of(`${world.name} ${seed} served`);
  const city = cityOf(world, random.fork());
  await using service = await openService({
    settings: { RECOMMEND_EXPLORATION_PERCENT: '10' },
    catalogue: (directory) => writeCity(directory, city.activities),
  });
  return await new ServedCity(world, city, service, await callersOf(service)).run(random);
}

function writeCity(directory: string, activities: readonly SyntheticActivity[]): void {
  mkdirSync(directory, { recursive: true });
  writeCatalogueFile(directory, {
    city: 'Bangkok',
    venues: [{ id: VENUE, name: 'A venue', address: '1 Pier Road, Bangkok 10200', lat: 13.75, lon: 100.49 }],
    hotels: [],
    activities: activities.map(({ index, category, setting, travelTypes, priceLevel }) => ({
      ...entry({
        id: idOf(index),
        venue: VENUE,
        name: `Activity ${index}`,
        category,
        capacity: CAPACITY,
        price: 100 + Math.round(2000 * priceLevel),
        hours: ALL_DAY,
      }),
      setting,
      travel_types: travelTypes,
    })),
  });
}

function idOf(index: number): string {
  return `synthetic-${index}`;
}

type Callers = {
  readonly keys: ReadonlyMap<string, Credentials>;
  /** Asks without exploration, and books nothing. */
  readonly observer: Credentials;
  readonly gate: Credentials;
};

async function callersOf(service: Service): Promise<Callers> {
  const keys = new Map<string, Credentials>();
  for (let index = 0; index < KEYS; index++)
    keys.set(`key-${index}`, withKey((await service.createKey({ name: `Key ${index}` })).key));
  const observer = await service.createKey({ name: 'Observer', exploration: false });
  return {
    keys,
    observer: withKey(observer.key),
    gate: withDevice((await service.createDevice(VENUE)).device_key),
  };
}

class ServedCity {
  readonly #world: World;
  readonly #city: City;
  readonly #service: Service;
  readonly #callers: Callers;
  readonly #tickets: Ticket[] = [];
  readonly #measured: { first: number[]; last: number[] } = { first: [], last: [] };
  #bookings = 0;
  #visits = 0;

  constructor(world: World, city: City, service: Service, callers: Callers) {
    this.#world = world;
    this.#city = city;
    this.#service = service;
    this.#callers = callers;
  }

  async run(random: SeededRandom): Promise<Served> {
    const [asking, choices] = [random.fork(), random.fork()];
    const { travellers } = this.#world;
    for (let asked = 0; asked < travellers; asked++) {
      this.#service.clock.set(NOW + Math.floor((asked / travellers) * DURATION_MS));
      await this.#scan();
      await this.#serve(asked, asking, choices);
    }
    const { first, last } = this.#measured;
    return { ndcg: { first: meanOf(first), last: meanOf(last) }, bookings: this.#bookings, visits: this.#visits };
  }

  async #serve(asked: number, asking: SeededRandom, choices: SeededRandom): Promise<void> {
    const { travellers, limit, rate: usual, attention } = this.#world;
    const { travelType, interests, budget } = nextWishes(asking);
    const key = this.#callers.keys.get(nextKey(asking, KEYS));
    const profile = { travel_type: travelType, interests, ...(budget !== null && { budget }) };
    const rates = this.#city.rates.get(travelType) ?? [];
    const rateOf = ({ index, category }: SyntheticActivity): number =>
      rateOfTraveller(rates[index] ?? 0, interests, category);
    const part = Math.floor((10 * asked) / travellers);
    if (part === 0 || part === 9) {
      const { recommendations } = await this.#recommend({ user_profile: profile }, this.#callers.observer);
      const order = this.#activitiesOf(recommendations);
      const others = this.#city.activities.filter((each) => !order.includes(each));
      this.#measured[part === 0 ? 'first' : 'last'].push(ndcgOf([...order, ...others].map(rateOf)));
    }
    const answer = await this.#recommend({ user_profile: profile, limit }, key);
    const liked = this.#activitiesOf(answer.recommendations).filter((activity, at) =>
      choices.chance(Math.min(MOST_CERTAIN, usual * rateOf(activity) * (at + 1) ** -attention)),
    );
    if (liked.length > 0) await this.#book(choices.pick(liked), answer.context.log_id, key, choices);
    if (!choices.chance(WALK_INS)) return;
    const walkIn = this.#callers.keys.get(nextKey(choices, KEYS));
    await this.#book(choices.pick(this.#city.activities), null, walkIn, choices);
  }

  async #recommend(change: object, key: Credentials | undefined): Promise<Recommendations> {
    const answer = await this.#service.recommend({ ...change }, key);
    if (answer.status !== 200) throw new Error(`recommend: ${JSON.stringify(answer)}`);
    return answer.data;
  }

  #activitiesOf(order: Order): readonly SyntheticActivity[] {
    const { activities } = this.#city;
    return order.flatMap(({ id }) => activities.filter(({ index }) => idOf(index) === id));
  }

  async #book(
    { index }: SyntheticActivity,
    logId: string | null,
    key: Credentials | undefined,
    choices: SeededRandom,
  ): Promise<void> {
    const day = localDay(this.#service.clock.nowMs()) + 1 + choices.below(LATEST_VISIT_DAYS);
    const booked = await this.#service.book(
      {
        activity_id: idOf(index),
        booking_date: new Date(day * DAY_MS).toISOString().slice(0, 10),
        num_adults: 1,
        ...(logId !== null && { context_log_id: logId }),
      },
      key,
    );
    const code = booked.data?.voucher?.code;
    if (code === undefined) throw new Error(`execute_booking: ${JSON.stringify(booked)}`);
    this.#bookings++;
    this.#tickets.push({ code, day });
  }

  /** Scans the vouchers of the present day. */
  async #scan(): Promise<void> {
    const day = localDay(this.#service.clock.nowMs());
    const due = this.#tickets.filter((ticket) => ticket.day === day);
    if (due.length === 0) return;
    this.#tickets.splice(0, this.#tickets.length, ...this.#tickets.filter((ticket) => ticket.day !== day));
    for (const { code } of due) {
      const scanned = await this.#service.verify({ code }, this.#callers.gate);
      if (scanned.status !== 200) throw new Error(`verify: ${JSON.stringify(scanned)}`);
      this.#visits++;
    }
  }
}

/** Days since the epoch in a city of UTC+7. */
function localDay(nowMs: number): number {
  return Math.floor((nowMs + 7 * HOUR_MS) / DAY_MS);
}
