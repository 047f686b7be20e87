import { describe, expect, test } from 'bun:test';
import type { LocalDate } from '../../src/domain/activity/activity.ts';
import { addDays, localDate } from '../../src/domain/activity/schedule.ts';
import { DAY_MS } from '../../src/eventsourcing/durations.ts';
import { type Random, seededRandom } from '../chaos/kill/random.ts';
import { headOf, unaudited } from '../support/log-of-service.ts';
import { openService, type Service, withDevice } from '../support/service.ts';
import { auditEnd } from './sequences/audit-end.ts';
import { OFFERS } from './sequences/offers.ts';
import { play } from './sequences/play.ts';
import { HOLD_MS, later, type World } from './sequences/reckoning.ts';
import {
  matchesModel,
  type Request,
  type ServiceAnswer,
  type TestedService,
  totalsOf,
} from './sequences/tested-service.ts';

/** SEQUENCE_SEED in the environment repeats a run. */
const SEED = Number(process.env['SEQUENCE_SEED'] ?? 20_261_130);
const RUNS = 4;
const STEPS = 150;
const TIMEOUT_MS = 60_000;
const CLAIM_MS = 60_000;
/** More seconds than any process manager needs. */
const MOST_SECONDS = 600;

class OneService implements TestedService {
  readonly offers = OFFERS;
  readonly rivalPercent = 12;
  readonly world: World;
  readonly #service: Service;
  readonly #gates: Readonly<Record<string, string>>[];

  constructor(service: Service, gates: readonly Readonly<Record<string, string>>[]) {
    this.#service = service;
    this.#gates = [...gates];
    this.world = { nowMs: service.clock.nowMs(), bookings: new Map(), holds: new Map() };
  }

  /** Dates of the easternmost city. */
  dates(): readonly [LocalDate, LocalDate, LocalDate] {
    const today = localDate('Bali', this.#service.clock.nowMs());
    return [addDays(today, 1), addDays(today, 2), addDays(today, 3)];
  }

  async send({ method, path, as, body, headers }: Request): Promise<ServiceAnswer> {
    const callers = as === 'gate' ? this.#gates : [as === 'operator' ? this.#service.admin : this.#service.key];
    const position = method === 'GET' ? { 'x-position': await headOf(this.#service) } : {};
    let last: ServiceAnswer | null = null;
    for (const caller of callers) {
      const init = {
        method,
        headers: { ...caller, ...position, ...headers, ...(body && { 'content-type': 'application/json' }) },
      };
      const response = await this.#service.send(path, body === null ? init : { ...init, body: JSON.stringify(body) });
      // Parser: `play` checks the content.
      const answer = (await response.json()) as Partial<ServiceAnswer>;
      const replayed = response.headers.get('idempotent-replayed') === 'true';
      last = { code: answer.code ?? '', error: answer.error ?? '', data: answer.data ?? {}, replayed };
      // Each venue has its own gate.
      if (last.code !== 'WRONG_VENUE') return last;
    }
    throw new Error(`no caller may send ${path}: ${JSON.stringify(last)}`);
  }

  now(world: World): World {
    return later(world, this.#service.clock.nowMs());
  }

  wait(world: World, random: Random): Promise<World> {
    this.#service.clock.advance(random.pick([HOLD_MS / 2, HOLD_MS, HOLD_MS + 1, DAY_MS / 3, DAY_MS]));
    return this.#until(world);
  }

  settle(world: World): Promise<World> {
    this.#service.clock.advance(CLAIM_MS);
    return this.#until(world);
  }

  async length(): Promise<string> {
    return String((await unaudited(this.#service)).length);
  }

  /** Moves the clock second by second until the service matches the model. */
  async #until(world: World): Promise<World> {
    for (let second = 0; second < MOST_SECONDS; second++) {
      const model = this.now(world);
      if (await matchesModel(this, model)) return model;
      this.#service.clock.advance(1_000);
      await new Promise(setImmediate);
    }
    throw new Error(`the inventory differs from the model after ${MOST_SECONDS} s`);
  }
}

const EXPECTED = [
  'book: HOLD_EXPIRED',
  'book: HOLD_USED',
  'book: INVALID_REQUEST',
  'book: INVENTORY_EXHAUSTED',
  'book: done',
  'call off: done',
  'cancel: BOOKING_NOT_CANCELLABLE',
  'cancel: REVISION_CONFLICT',
  'cancel: done',
  'cancel what was kept of: done',
  'confirm: done',
  'erase: done',
  'hold: INVENTORY_EXHAUSTED',
  'hold: done',
  'release hold: done',
  'modify: BOOKING_NOT_MODIFIABLE',
  'modify: INVENTORY_EXHAUSTED',
  'modify: REVISION_CONFLICT',
  'modify: done',
  'reject: done',
  'visit: VOUCHER_NOT_VALID_TODAY',
  'visit: done',
];
const kinds = new Set<string>();

describe('random commands get the answers of an independent model', () => {
  const seeds = Array.from({ length: RUNS }, (_, index) => SEED + index);
  test.each(seeds)(
    `${STEPS} commands of seed %i`,
    async (seed) => {
      await using service = await openService({ settings: { ON_REQUEST_HOURS: '720' } });
      const bali = withDevice((await service.createDevice('rice-terrace')).device_key);
      const tested = new OneService(service, [service.gates.pier, bali]);
      const { world, faults, answerCounts } = await play(tested, STEPS, seededRandom(seed));
      expect(faults).toEqual([]);
      for (const answer of answerCounts.keys()) kinds.add(answer);
      const settled = await tested.wait(world, seededRandom(seed));
      expect(auditEnd(settled, await service.events(), await totalsOf(tested))).toEqual([]);
    },
    TIMEOUT_MS,
  );

  test('include every kind of answer', () => {
    expect([...kinds]).toEqual(expect.arrayContaining(EXPECTED));
  });
});
