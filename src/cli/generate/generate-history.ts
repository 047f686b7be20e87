import { PROCESS_MANAGERS } from '../../app/process-managers.ts';
import { createKey } from '../../application/key/manage-keys.ts';
import { listCatalogue } from '../../application/supply/list-catalogue.ts';
import { utcDate } from '../../domain/activity/schedule.ts';
import { NO_LIMITS, PERMISSIONS } from '../../domain/apikey/apikey.ts';
import type { KeyId } from '../../domain/ids.ts';
import { DAY_MS, HOUR_MS } from '../../eventsourcing/durations.ts';
import { START } from '../../eventsourcing/message.ts';
import type { DecodedEventStore } from '../../ports/event-store.ts';
import { LowWaterCheckpoint } from '../../runtime/low-water-checkpoint.ts';
import { BookingLife, type Counts, unrefused } from './booking-life.ts';
import { BookingMaker } from './booking-maker.ts';
import { type SeededRandom, seededIds } from './seeded-random.ts';
import type { Moment, SimulatedService } from './simulated-service.ts';
import { StepQueue } from './step-queue.ts';
import { popularActivities } from './wishes.ts';

export type Plan = {
  readonly bookings: number;
  readonly seed: string;
  /** Length of the history, in days. */
  readonly days: number;
  /** Its end, ms since the epoch. */
  readonly untilMs: number;
};

/** `copied`: events that are in the event store of `EVENTSTORE_URL`, of all events of the history. */
export type Progress =
  | { readonly kind: 'made'; readonly booked: number; readonly events: number }
  | { readonly kind: 'copied'; readonly copied: number; readonly events: number };

export type Watching = { readonly signal: AbortSignal; readonly report: (progress: Progress) => void };

export type Generated = Counts & {
  readonly kind: 'generated';
  readonly events: number;
  readonly recommendations: number;
  readonly holds: number;
  readonly refused: number;
  readonly keys: readonly GeneratedKey[];
};

/** `value` is what an agent sends; only its hash is stored. */
export type GeneratedKey = { readonly name: string; readonly keyId: KeyId; readonly value: string };

const KEYS = 8;
/** One key has a limit on the spending of a day, which it never reaches, and so no warning. */
const DAY_TOTAL = { amountMinor: 1e14, currency: 'THB' } as const;
/** Longer than the holds and mails of a booking take: they end before the history does. */
const LAST_HOURS_MS = 2 * HOUR_MS;
/** So many bookings share a round if they can, so that their appends share group commits. */
const BOOKINGS_IN_ROUND = 256;
const SHORTEST_ROUND_MS = HOUR_MS / 4;
const LONGEST_ROUND_MS = 3 * HOUR_MS;
/** Extra rounds at the end for bookings that were refused before. */
const LAST_ROUNDS = 50;
const FORGET_EVERY_DAYS = 7;
const ATTEMPTS = 5;

/**
 * Makes a history with the use cases of the service, and leaves it at rest: no process manager has work left. An abort makes
 * no further booking, but completes those that were made.
 */
export async function generateHistory(
  { bookings, days, untilMs }: Plan,
  service: SimulatedService,
  random: SeededRandom,
  { signal, report }: Watching,
): Promise<Generated> {
  const fromMs = untilMs - days * DAY_MS;
  const lastMs = untilMs - LAST_HOURS_MS;
  const share = (BOOKINGS_IN_ROUND * (lastMs - fromMs)) / bookings;
  const roundMs = Math.min(LONGEST_ROUND_MS, Math.max(SHORTEST_ROUND_MS, share));
  service.advanceTo(fromMs);
  const first = service.at(fromMs, random.fork());
  await listActivities(first, service);
  const keys = await createKeys(first, service);
  const steps = new StepQueue({ fromMs, untilMs: lastMs, roundMs });
  const life = new BookingLife(service, steps, lastMs - 1);
  const popular = popularActivities(service, random.fork());
  const maker = new BookingMaker(
    service,
    life,
    keys.map(({ keyId }) => keyId),
    popular,
  );
  const { counts } = life;
  const plan = (round: number, count: number): void => {
    const beginsAtMs = steps.beginsAtMs(round);
    const spanMs = Math.min(roundMs, lastMs - beginsAtMs);
    for (let index = 0; index < count; index++)
      steps.add(beginsAtMs + random.fraction() * spanMs, random.fork(), (moment) => maker.book(moment));
  };
  const progress = (): void => report({ kind: 'made', booked: counts.booked, events: service.views.events() });
  const forgetRounds = Math.max(1, Math.floor((FORGET_EVERY_DAYS * DAY_MS) / roundMs));
  for (let round = 0; round < steps.rounds; round++) {
    if (round % forgetRounds === 0) service.views.forgetBefore(utcDate(steps.beginsAtMs(round) - 2 * DAY_MS));
    const target = Math.round((bookings * (round + 1)) / steps.rounds);
    if (!signal.aborted) plan(round, target - counts.booked);
    await steps.run(round, service);
    progress();
  }
  for (let extra = 0; extra < LAST_ROUNDS && counts.booked < bookings && !signal.aborted; extra++) {
    plan(steps.rounds - 1, Math.min(bookings - counts.booked, BOOKINGS_IN_ROUND));
    await steps.run(steps.rounds - 1, service);
    progress();
  }
  const { recommendations, holds, refused } = maker;
  return { kind: 'generated', ...counts, events: service.views.events(), recommendations, holds, refused, keys };
}

async function listActivities({ context, ...moment }: Moment, { supply, views }: SimulatedService): Promise<void> {
  const difference = { listed: supply.activities, dropped: [] };
  const options = { cause: moment.cause('catalogue'), attempts: ATTEMPTS, signal: new AbortController().signal };
  await listCatalogue(difference, options, { ...context, catalogue: views.catalogue });
}

async function createKeys(moment: Moment, { keyLimits }: SimulatedService): Promise<readonly GeneratedKey[]> {
  const keys: GeneratedKey[] = [];
  for (let number = 1; number <= KEYS; number++) {
    const name = `Generated agent ${number}`;
    const limits = number === KEYS ? { ...NO_LIMITS, dayTotal: DAY_TOTAL } : NO_LIMITS;
    const none = { webhookUrl: null, webhookEvents: null, ipAllowlist: null, contactEmail: null, expiresAt: null };
    const settings = { name, plan: 'enterprise', permissions: PERMISSIONS, ...none, limits } as const;
    const { keyId, value } = unrefused(await createKey('live', settings, moment.cause('admin'), moment.context));
    keyLimits.set(keyId, limits);
    keys.push({ name, keyId, value });
  }
  return keys;
}

/** Every process manager has done what the history asks of it: its checkpoint is at the end of the log. */
export async function storeCheckpoints(
  store: DecodedEventStore,
  { untilMs }: Plan,
  service: SimulatedService,
  random: SeededRandom,
): Promise<void> {
  const { clock } = service.at(untilMs - LAST_HOURS_MS, random).context;
  const head = await store.head();
  for (const { name: manager } of PROCESS_MANAGERS) {
    const checkpoint = new LowWaterCheckpoint(manager, { store, clock, ids: seededIds(random), log: service.log });
    await checkpoint.load();
    checkpoint.noteBatch(START, 1);
    await checkpoint.store(head, null);
  }
}
