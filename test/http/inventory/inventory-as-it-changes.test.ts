import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { CATALOGUE_DIRECTORY } from '../../../src/supply/catalogue-file.ts';
import { type Random, seededRandom } from '../../chaos/kill/random.ts';
import { hold, releaseHold } from '../../support/holds.ts';
import { headOf } from '../../support/log-of-service.ts';
import { modify } from '../../support/modifications.ts';
import { agree, openShipped, untouched } from '../../support/reckoned.ts';
import {
  type CityFile,
  daysAfter,
  itemsOf,
  type Known,
  readCityFiles,
  type Touched,
  wallClock,
} from '../../support/reckoning.ts';
import { NOW, type Service } from '../../support/service.ts';

const STEPS = 80;
const FILES = readCityFiles(CATALOGUE_DIRECTORY);

/** A booking or a hold that takes slots. */
type Sold = {
  readonly id: string;
  readonly file: CityFile;
  readonly activity_id: string;
  readonly booking_date: string;
  readonly num_adults: number;
};
type Wish = Omit<Sold, 'id'>;
type Place = Pick<Sold, 'file' | 'booking_date'>;

test.each([[1], [2]])(
  `after ${STEPS} bookings, holds, changes and cancellations (seed %i) the inventory matches the model`,
  async (seed) => {
    await using service = await openShipped(NOW);
    const world = openWorld(service, seededRandom(seed));
    const done = new Map<string, number>();
    for (let step = 0; step < STEPS; step++) {
      service.clock.advance(1_000);
      const { name, changed } = await world.step();
      if (changed.length > 0) done.set(name, (done.get(name) ?? 0) + 1);
      for (const { file, booking_date: date } of changed)
        await agreeNow(service, file, { date, limit: 50 }, world.known);
    }
    // Every kind of step has changed something at least once.
    expect([...done.keys()].sort()).toEqual(Object.keys(WEIGHTS).sort());
    const dates = new Set([...world.known.touched.keys()].map((key) => key.slice(-10)));
    for (const file of FILES) for (const date of dates) await agreeNow(service, file, { date, limit: 50 }, world.known);
  },
  60_000,
);

describe('a sold-out activity is not listed, and is listed again after a cancellation', () => {
  let service: Service;
  let known: Known;
  const touched = new Map<string, Touched>();
  beforeAll(async () => {
    service = await openShipped(NOW);
    known = { ...untouched(service), touched };
  });
  afterAll(() => service.stop());

  test.each(FILES.map((file) => [file.city, file] as const))('in %s', async (city, file) => {
    const nowMs = service.clock.nowMs();
    const date = daysAfter(wallClock(city, nowMs).date, 4);
    const [smallest] = itemsOf(file, date, nowMs, known).sort(
      (one, other) => one.available_slots - other.available_slots,
    );
    if (smallest === undefined) throw new Error(`nothing is open in ${city} on ${date}`);
    const { activity_id, available_slots } = smallest;
    const happened = (taken: number): void => {
      touched.set(`${activity_id} ${date}`, { taken, at: new Date(service.clock.nowMs()).toISOString() });
    };
    const ids: string[] = [];
    for (let left = available_slots; left > 0; left -= 20) {
      const num_adults = Math.min(left, 20);
      ids.push((await service.book({ activity_id, booking_date: date, num_adults })).data.booking_id);
    }
    happened(available_slots);
    await agreeNow(service, file, { date, limit: 50 }, known);
    await agreeNow(service, file, { date, activity_id }, known);
    service.clock.advance(1_000);
    for (const id of ids) await service.post(`/api/b2a/bookings/${id}/cancel`, {}, service.key);
    happened(0);
    for (const min_slots of [available_slots, available_slots + 1]) {
      await agreeNow(service, file, { date, activity_id, min_slots }, known);
    }
  });
});

/** Compares the model with an inventory answer that includes all events so far. */
async function agreeNow(
  service: Service,
  file: CityFile,
  asked: Parameters<typeof agree>[2],
  known: Known,
): Promise<void> {
  await agree(service, file, asked, known, { 'x-position': await headOf(service) });
}

/** Relative frequency of each step. */
const WEIGHTS = { book: 5, hold: 3, 'book a hold': 2, release: 1, cancel: 2, resize: 2, move: 1, reject: 1 };

type Step = keyof typeof WEIGHTS;

function isStep(name: string): name is Step {
  return Object.hasOwn(WEIGHTS, name);
}

/** Random callers, and a model of the expected inventory. */
function openWorld(service: Service, random: Random) {
  const touched = new Map<string, Touched>();
  const known: Known = { ...untouched(service), touched };
  const [bookings, holds]: [Sold[], Sold[]] = [[], []];

  const take = ({ activity_id, booking_date }: Wish, guests: number): void => {
    const key = `${activity_id} ${booking_date}`;
    const at = new Date(service.clock.nowMs()).toISOString();
    touched.set(key, { taken: (touched.get(key)?.taken ?? 0) + guests, at });
  };
  const anyOf = <T>([first, ...rest]: readonly T[]): T | null =>
    first === undefined ? null : random.pick([first, ...rest]);
  const remove = (list: Sold[], sold: Sold): void => {
    list.splice(list.indexOf(sold), 1);
  };
  const wish = (file: CityFile | null, activity: string | null): Wish | null => {
    if (file === null) return null;
    const date = daysAfter(wallClock(file.city, service.clock.nowMs()).date, random.pick([0, 1, 4, 60]));
    const items = itemsOf(file, date, service.clock.nowMs(), known).filter(({ available_slots: free }) => free > 0);
    const item = anyOf(activity === null ? items : items.filter((candidate) => candidate.activity_id === activity));
    if (item === null) return null;
    const num_adults = random.whole(1, Math.min(item.available_slots, 9));
    return { file, activity_id: item.activity_id, booking_date: date, num_adults };
  };
  const wordsOf = ({ activity_id, booking_date, num_adults }: Wish) => ({ activity_id, booking_date, num_adults });

  const steps: Record<Step, () => Promise<readonly Place[]>> = {
    async book() {
      const wished = wish(anyOf(FILES), null);
      if (wished === null) return [];
      const { data } = await service.book(wordsOf(wished));
      bookings.push({ ...wished, id: data.booking_id });
      take(wished, wished.num_adults);
      return [wished];
    },
    async hold() {
      const wished = wish(anyOf(FILES), null);
      if (wished === null) return [];
      const { data } = await hold(service, wordsOf(wished));
      holds.push({ ...wished, id: data.hold_id });
      take(wished, wished.num_adults);
      return [wished];
    },
    async 'book a hold'() {
      const held = anyOf(holds);
      if (held === null) return [];
      const { id: hold_id, ...wished } = held;
      const { data } = await service.book({ ...wordsOf(wished), hold_id });
      remove(holds, held);
      bookings.push({ ...wished, id: data.booking_id });
      take(wished, 0);
      return [wished];
    },
    async release() {
      const held = anyOf(holds);
      if (held === null) return [];
      expect((await releaseHold(service, held.id)).status).toBe(200);
      remove(holds, held);
      take(held, -held.num_adults);
      return [held];
    },
    async cancel() {
      const sold = anyOf(bookings);
      if (sold === null) return [];
      expect((await service.post(`/api/b2a/bookings/${sold.id}/cancel`, {}, service.key)).status).toBe(200);
      remove(bookings, sold);
      take(sold, -sold.num_adults);
      return [sold];
    },
    async resize() {
      const sold = anyOf(bookings);
      if (sold === null) return [];
      const { file, activity_id, booking_date } = sold;
      const free = itemsOf(file, booking_date, service.clock.nowMs(), known).find(
        (item) => item.activity_id === activity_id,
      )?.available_slots;
      const num_adults = random.whole(1, Math.min(20, sold.num_adults + (free ?? 0)));
      if (num_adults === sold.num_adults) return [];
      expect((await modify(service, { booking_id: sold.id }, { num_adults })).status).toBe(200);
      remove(bookings, sold);
      bookings.push({ ...sold, num_adults });
      take(sold, num_adults - sold.num_adults);
      return [sold];
    },
    async move() {
      const sold = anyOf(bookings);
      const wished = sold === null ? null : wish(sold.file, sold.activity_id);
      if (sold === null || wished === null || wished.booking_date === sold.booking_date) return [];
      const { booking_date, num_adults } = wished;
      const answer = await modify(service, { booking_id: sold.id }, { booking_date, num_adults });
      expect(answer.status).toBe(200);
      remove(bookings, sold);
      bookings.push({ ...wished, id: sold.id });
      take(wished, num_adults);
      take(sold, -sold.num_adults);
      return [sold, wished];
    },
    async reject() {
      const asked: Sold[] = [];
      for (const sold of bookings) if ((await service.booking(sold.id)).data.status === 'pending') asked.push(sold);
      const sold = anyOf(asked);
      if (sold === null) return [];
      expect((await service.post(`/api/bookings/${sold.id}/reject`, {}, service.admin)).status).toBe(200);
      remove(bookings, sold);
      take(sold, -sold.num_adults);
      return [sold];
    },
  };
  const names = Object.keys(WEIGHTS)
    .filter(isStep)
    .flatMap((name) => Array.from({ length: WEIGHTS[name] }, () => name));
  return {
    known,
    /** Executes a random possible step, and returns the allotments whose free slots changed. */
    async step() {
      const name = anyOf(names) ?? 'book';
      return { name, changed: await steps[name]() };
    },
  };
}
