import { AGE_GROUPS, TRAVEL_TYPES } from '../../../src/domain/activity/vocabulary.ts';
import { BUDGETS } from '../../../src/domain/recommendation/profile.ts';
import type { Service } from './account.ts';
import { dateAhead, type OnSale } from './catalogue.ts';
import type { Ask, KnownBooking, Ledger, Scan } from './ledger.ts';
import type { Random } from './random.ts';
import { pause } from './real-time.ts';
import {
  type BookingData,
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
  /** After so many requests the clients rest, so that a run is bounded on any machine. */
  readonly budget: number;
  /** Between two requests of a client. */
  readonly restMs: number;
  /** Small activities are booked this many days ahead: each life of the service sells out others. */
  readonly daysAhead: number;
};

/**
 * Clients that book, scan and repeat themselves, each with one request at a time. What they choose comes from a seed;
 * who is served first does not.
 */
export class Load {
  readonly #options: LoadOptions;
  readonly #done: Promise<unknown>;
  readonly #scannable: KnownBooking[] = [];
  readonly #repeatable: KnownBooking[] = [];
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
    for (const known of options.ledger.bookings.values()) this.#remember(known);
    this.#done = Promise.all(Array.from({ length: options.clients }, () => this.#client()));
  }

  /** Resolves when so many more requests were answered, or the clients rest. */
  async answered(more: number): Promise<void> {
    const answers = this.#answers + more;
    const reached = new Promise<void>((resolve) => {
      this.#reached = { answers, resolve };
    });
    await Promise.race([reached, this.#done]);
  }

  /** No new request is begun; resolves when the last one is answered, or known to have failed. */
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

  /** Sends again whatever has no answer yet, each once, one after the other. */
  async sendUnsure(): Promise<void> {
    for (let left = this.#options.ledger.unsure; left > 0; left--) await this.#nextUnsure();
  }

  async #next(): Promise<void> {
    const { ledger, random } = this.#options;
    if (ledger.unsure > 0) return this.#nextUnsure();
    if (this.#scannable.length > 0 && random.percent(15)) {
      const [known] = this.#scannable.splice(random.whole(0, this.#scannable.length - 1), 1);
      if (known !== undefined) return this.#scan(this.#scanOf(known));
    }
    if (this.#repeatable.length > 0 && random.percent(10)) {
      const known = this.#repeatable[random.whole(0, this.#repeatable.length - 1)];
      if (known !== undefined) return this.#book(known.ask);
    }
    if (this.#repeatableScans.length > 0 && random.percent(5)) {
      const scan = this.#repeatableScans[random.whole(0, this.#repeatableScans.length - 1)];
      if (scan !== undefined) return this.#scan(scan);
    }
    if (random.percent(12)) return this.#recommend();
    if (random.percent(8)) return this.#readInventory();
    const ask = this.#newAsk();
    const impatient = ask.idempotencyKey !== null && random.percent(10);
    await Promise.all(impatient ? [this.#book(ask), this.#book(ask)] : [this.#book(ask)]);
  }

  async #nextUnsure(): Promise<void> {
    const { ledger } = this.#options;
    const ask = ledger.takeUnsure();
    const scan = ask === undefined ? ledger.takeUnsureScan() : undefined;
    if (ask !== undefined) await this.#book(ask);
    if (scan !== undefined) await this.#scan(scan);
  }

  async #book(ask: Ask): Promise<void> {
    const { service, ledger } = this.#options;
    const headers = withKey({ 'x-api-key': service.apiKey }, ask.idempotencyKey);
    const answer = await send<BookingData>(`${service.url()}/api/b2a/execute_booking`, headers, ask.wish);
    const isNew = answer.kind === 'done' && !ledger.bookings.has(answer.data.booking_id);
    ledger.answered(ask, answer);
    if (isNew) this.#remember({ ask, data: answer.data });
  }

  async #scan(scan: Scan): Promise<void> {
    const { service, ledger } = this.#options;
    const headers = withKey({ 'x-device-key': service.deviceKey }, scan.idempotencyKey);
    const body = { code: scan.booking.voucher.code, gate: scan.gate };
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

  #remember(known: KnownBooking): void {
    const { sale, ledger } = this.#options;
    const { booking_id: id, booking_date: date } = known.data;
    if (known.ask.idempotencyKey !== null) this.#repeatable.push(known);
    if (date === sale.today && ledger.statusOf(id) === 'confirmed') this.#scannable.push(known);
  }

  #newAsk(): Ask {
    const { sale, random, ledger, daysAhead } = this.#options;
    const number = ++ledger.tally.asked;
    const guest = `quetzal-${String(number).padStart(6, '0')}`;
    const [activityId, date] = random.percent(25)
      ? [random.pick(sale.small), dateAhead(sale, daysAhead)]
      : [random.pick(sale.large), dateAhead(sale, random.whole(0, LARGE_DATES - 1))];
    // Half of them follow a recommendation, of what was shown in it or not.
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
    return { number, idempotencyKey: random.percent(60) ? `key-of-${number}` : null, wish };
  }

  #scanOf({ data }: KnownBooking): Scan {
    const { random, ledger } = this.#options;
    const number = ++ledger.tally.scanned;
    const idempotencyKey = random.percent(50) ? `scan-${number}` : null;
    return { booking: data, idempotencyKey, gate: `gate ${number}` };
  }
}
