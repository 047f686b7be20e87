import { AGE_GROUPS, TRAVEL_TYPES } from '../../../src/domain/activity/vocabulary.ts';
import { BUDGETS } from '../../../src/domain/recommendation/profile.ts';
import type { Service } from './account.ts';
import { dateAhead, type OnSale } from './catalogue.ts';
import type { Change, Changed, Modification } from './change.ts';
import type { Ask, KnownBooking, Ledger, Scan } from './ledger.ts';
import type { Random } from './random.ts';
import { pause } from './real-time.ts';
import {
  type BookingData,
  type HoldData,
  type InventoryData,
  type RecommendedData,
  send,
  type VisitData,
  type Wish,
  withKey,
} from './wire.ts';

const LARGEST_PARTY = 4;
/** Dates on which the large activities are booked; vouchers of the first, today, can be verified. */
const LARGE_DATES = 3;
const SHOWN = 4;

export type LoadOptions = {
  readonly service: Service;
  readonly ledger: Ledger;
  readonly sale: OnSale;
  readonly random: Random;
  readonly clients: number;
  /** The clients pause after this number of requests, so that a run is bounded on any machine. */
  readonly budget: number;
  /** Pause between two requests of a client. */
  readonly restMs: number;
  /** Small activities are booked this many days ahead: each life of the service sells out others. */
  readonly daysAhead: number;
};

/**
 * Clients that book, scan and repeat requests, each with one request at a time. A seed determines their choices, but not the
 * order in which they are served.
 */
export class Load {
  readonly #options: LoadOptions;
  readonly #done: Promise<unknown>;
  readonly #known: string[] = [];
  /** Bookings that a client is working on. */
  readonly #taken = new Set<string>();
  /** Numbers of the requests that a client is working on. */
  readonly #asking = new Set<number>();
  readonly #repeatableScans: Scan[] = [];
  /** Log ids of recommendations, those of earlier lives too. */
  readonly #followable: string[];
  #budget: number;
  #stopped = false;
  #answers = 0;
  #reached: { readonly answers: number; readonly resolve: () => void } | null = null;

  /** Starts the clients. */
  constructor(options: LoadOptions) {
    this.#options = options;
    this.#budget = options.budget;
    this.#followable = [...options.ledger.recommendations.keys()];
    this.#known.push(...options.ledger.bookings.keys());
    this.#done = Promise.all(Array.from({ length: options.clients }, () => this.#client()));
  }

  /** Resolves when `count` more requests were answered, or the clients pause. */
  async answered(more: number): Promise<void> {
    const answers = this.#answers + more;
    const reached = new Promise<void>((resolve) => {
      this.#reached = { answers, resolve };
    });
    await Promise.race([reached, this.#done]);
  }

  /** Starts no new request. Resolves when the last one is answered or has failed. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#done;
  }

  async #client(): Promise<void> {
    while (!this.#stopped && this.#budget-- > 0) {
      await this.#next();
      this.#answers++;
      if (this.#reached !== null && this.#answers >= this.#reached.answers) this.#reached.resolve();
      if (this.#options.restMs > 0) await pause(this.#options.restMs);
    }
  }

  /** Repeats each request without an answer, one after the other. */
  async sendUnsure(): Promise<void> {
    for (let left = this.#options.ledger.unsure; left > 0; left--) await this.#nextUnsure();
  }

  async #next(): Promise<void> {
    const { ledger, random } = this.#options;
    if (ledger.unsure > 0) return this.#nextUnsure();
    if (random.percent(10)) return this.#repeatScan();
    if (random.percent(12)) return this.#recommend();
    if (random.percent(8)) return this.#readInventory();
    if (random.percent(35)) {
      const known = this.#free();
      if (known !== null) return this.#alone(known.data.booking_id, () => this.#goOn(known));
    }
    if (random.percent(20)) return this.#holdAndBook();
    await this.#bookNew(this.#newAsk());
  }

  async #bookNew(ask: Ask): Promise<void> {
    const impatient = ask.idempotencyKey !== null && this.#options.random.percent(10);
    this.#asking.add(ask.number);
    const ids = await Promise.all(impatient ? [this.#book(ask), this.#book(ask)] : [this.#book(ask)]);
    this.#asking.delete(ask.number);
    const [id = null] = ids.filter((each) => each !== null);
    if (id !== null) this.#known.push(id);
  }

  /** A booking without a request in progress. */
  #free(): KnownBooking | null {
    const { ledger, random } = this.#options;
    const id = this.#known[random.whole(0, Math.max(0, this.#known.length - 1))] ?? '';
    const known = ledger.bookings.get(id);
    return known === undefined || this.#taken.has(id) || ledger.changing.has(id) ? null : known;
  }

  async #alone(id: string, work: () => Promise<unknown>): Promise<void> {
    this.#taken.add(id);
    await work();
    this.#taken.delete(id);
  }

  /** A random next step of a booking. */
  async #goOn(known: KnownBooking): Promise<unknown> {
    const { sale, ledger, random } = this.#options;
    const { booking_id: id, booking_date: date } = known.data;
    const status = ledger.statusOf(id);
    if (known.ask.idempotencyKey !== null && random.percent(20)) return this.#book(known.ask);
    if (status === 'pending' && random.percent(60)) return this.#change(this.#answerOfVenue(id));
    if (status === 'confirmed' && date === sale.today && random.percent(50)) return this.#scan(this.#scanOf(known));
    if (status === 'cancelled' || ((status === 'confirmed' || status === 'pending') && random.percent(25)))
      return this.#change(this.#cancellation(id));
    if (status === 'confirmed' || status === 'pending') return this.#change(this.#modification(known));
    return null;
  }

  async #nextUnsure(): Promise<void> {
    const { ledger } = this.#options;
    const ask = ledger.takeUnsure();
    // If a client is working on it, that client repeats it.
    if (ask !== undefined) return this.#asking.has(ask.number) ? undefined : this.#bookNew(ask);
    const scan = ledger.takeUnsureScan();
    if (scan !== undefined) return this.#scan(scan);
    const change = ledger.takeUnsureChange();
    if (change !== undefined) await this.#change(change);
  }

  async #repeatScan(): Promise<void> {
    const { random } = this.#options;
    const scan = this.#repeatableScans[random.whole(0, Math.max(0, this.#repeatableScans.length - 1))];
    if (scan !== undefined) await this.#scan(scan);
  }

  /** The id of a new booking; null if there is none. */
  async #book(ask: Ask): Promise<string | null> {
    const { service, ledger } = this.#options;
    const headers = withKey({ 'x-api-key': service.apiKey }, ask.idempotencyKey);
    const body = ask.hold === null ? ask.wish : { ...ask.wish, hold_id: ask.hold };
    const answer = await send<BookingData>(`${service.url()}/api/b2a/execute_booking`, headers, body);
    const isNew = answer.kind === 'done' && !ledger.bookings.has(answer.data.booking_id);
    ledger.answered(ask, answer);
    return isNew ? answer.data.booking_id : null;
  }

  /** Holds slots, then books them, releases them, or leaves them to expire. */
  async #holdAndBook(): Promise<void> {
    const { service, ledger, random } = this.#options;
    const ask = this.#newAsk();
    const { wish, number } = ask;
    const { activity_id, booking_date, num_adults, num_children } = wish;
    const headers = withKey({ 'x-api-key': service.apiKey }, random.percent(70) ? `hold-${number}` : null);
    const body = { activity_id, booking_date, num_adults, num_children };
    const answer = await send<HoldData>(`${service.url()}/api/b2a/holds`, headers, body);
    ledger.held(answer);
    if (answer.kind !== 'done' || this.#stopped) return;
    const { hold_id: hold } = answer.data;
    const what = random.whole(1, 100);
    if (what <= 70) return this.#bookNew({ ...ask, hold });
    if (what > 85) return;
    const own = { 'x-api-key': service.apiKey };
    ledger.letGo(hold, await send<HoldData>(`${service.url()}/api/b2a/holds/${hold}`, own, null, 'DELETE'));
  }

  async #change(change: Change): Promise<void> {
    const { service, ledger } = this.#options;
    const { booking, what, body, idempotencyKey } = change;
    const byVenue = what === 'confirm' || what === 'reject';
    const caller = byVenue ? { authorization: `Bearer ${service.adminToken}` } : { 'x-api-key': service.apiKey };
    const path = byVenue ? `/api/bookings/${booking}/${what}` : `/api/b2a/bookings/${booking}/${what}`;
    ledger.changed(change, await send<Changed>(`${service.url()}${path}`, withKey(caller, idempotencyKey), body));
  }

  async #scan(scan: Scan): Promise<void> {
    const { service, ledger } = this.#options;
    const headers = withKey({ 'x-device-key': service.deviceKey }, scan.idempotencyKey);
    const body = { code: scan.booking.voucher?.code, gate: scan.gate };
    const answer = await send<VisitData>(`${service.url()}/api/venue/verify`, headers, body);
    ledger.scanned(scan, answer);
    if (answer.kind === 'done' && scan.idempotencyKey !== null) this.#repeatableScans.push(scan);
  }

  async #recommend(): Promise<void> {
    const { service, ledger, sale, random } = this.#options;
    const profile = {
      travel_type: random.pick(TRAVEL_TYPES),
      budget: random.percent(50) ? random.pick(BUDGETS) : null,
      age_group: random.percent(50) ? random.pick(AGE_GROUPS) : null,
    };
    const ask = { user_profile: profile, location: { city: sale.city }, limit: SHOWN };
    const headers = { 'x-api-key': service.apiKey };
    const answer = await send<RecommendedData>(`${service.url()}/api/b2a/recommend`, headers, ask);
    ledger.recommended(answer);
    if (answer.kind === 'done') this.#followable.push(answer.data.context.log_id);
  }

  async #readInventory(): Promise<void> {
    const { service, ledger, sale, random } = this.#options;
    const date = dateAhead(sale, random.whole(0, LARGE_DATES - 1));
    const query = `${service.url()}/api/b2a/inventory?city=${sale.city}&date=${date}`;
    ledger.inventoryRead(await send<InventoryData>(query, { 'x-api-key': service.apiKey }, null));
  }

  #newAsk(): Ask {
    const { sale, random, ledger, daysAhead } = this.#options;
    const number = ++ledger.tally.asked;
    const guest = `quetzal-${String(number).padStart(6, '0')}`;
    const [activityId, date] = random.percent(25)
      ? [random.pick(sale.small), dateAhead(sale, daysAhead)]
      : random.percent(15)
        ? [sale.onRequest, dateAhead(sale, random.whole(1, LARGE_DATES))]
        : [random.pick(sale.large), dateAhead(sale, random.whole(0, LARGE_DATES - 1))];
    // Half of the bookings name a recommendation, whether it showed the activity or not.
    const followed = this.#followable[random.whole(0, this.#followable.length * 2)] ?? null;
    const wish: Wish = {
      activity_id: activityId,
      booking_date: date,
      num_adults: random.whole(1, LARGEST_PARTY - 1),
      num_children: random.whole(0, 1),
      user_name: `Guest ${guest}`,
      user_email: `${guest}@example.com`,
      special_requests: random.percent(30) ? `a seat beside ${guest}` : null,
      context_log_id: followed,
    };
    return { number, idempotencyKey: random.percent(60) ? `key-of-${number}` : null, wish, hold: null };
  }

  #modification({ data }: KnownBooking): Change {
    const { sale, random, ledger } = this.#options;
    const number = ++ledger.tally.asked;
    const guest = `quetzal-${String(number).padStart(6, '0')}`;
    const anew = { user_name: `Guest ${guest}`, user_email: `${guest}@example.com` };
    // Always a real change.
    const party: Modification = { num_adults: (data.num_adults % LARGEST_PARTY) + 1 };
    // More guests or another date need the venue's confirmation again.
    const asked = data.activity.id === sale.onRequest && data.status === 'confirmed';
    const large = sale.large.includes(data.activity.id);
    const date = dateAhead(sale, data.booking_date === dateAhead(sale, 1) ? 2 : 1);
    const what = random.whole(1, 100);
    const body =
      asked || (what > 50 && what <= 65)
        ? anew
        : what <= 50
          ? party
          : { ...(large ? { booking_date: date } : party), ...(what > 90 ? anew : {}) };
    const idempotencyKey = random.percent(75) ? `change-${number}` : null;
    return { number, booking: data.booking_id, idempotencyKey, what: 'modify', body };
  }

  #cancellation(booking: string): Change {
    const { random, ledger } = this.#options;
    const number = ++ledger.tally.asked;
    const idempotencyKey = random.percent(60) ? `change-${number}` : null;
    return { number, booking, idempotencyKey, what: 'cancel', body: {} };
  }

  #answerOfVenue(booking: string): Change {
    const { random, ledger } = this.#options;
    const what = random.percent(75) ? 'confirm' : 'reject';
    return { number: ++ledger.tally.asked, booking, idempotencyKey: null, what, body: {} };
  }

  #scanOf({ data }: KnownBooking): Scan {
    const { random, ledger } = this.#options;
    const number = ++ledger.tally.scanned;
    const idempotencyKey = random.percent(50) ? `scan-${number}` : null;
    return { booking: data, idempotencyKey, gate: `gate ${number}` };
  }
}
