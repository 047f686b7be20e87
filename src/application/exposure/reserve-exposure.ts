import { type Exposed, reserved, settled, withoutAttempt } from '../../domain/exposure/counter.ts';
import type { CountedLimit } from '../../domain/exposure/exposure.ts';
import type { KeyId } from '../../domain/ids.ts';
import { StoreUnavailable } from '../../ports/store-unavailable.ts';
import type { BookingContext } from '../booking/booking-context.ts';
import type { Refused } from '../refusal.ts';
import { compareWithLog } from './compare-with-log.ts';
import { overExposure } from './refusals.ts';

export type Reserved = {
  readonly kind: 'reserved';
  /** Returns the reservation of a request that was refused. Best effort: the log is compared later. */
  giveBack(): Promise<void>;
};

const NOTHING: Reserved = { kind: 'reserved', giveBack: () => Promise.resolve() };

/**
 * Reserves what a booking or hold takes of a limit of its key, before its slots are claimed. A refusal is given only after
 * entries whose requests have ended were compared with the log. Costs nothing without a limit.
 * @throws StoreUnavailable
 */
export async function reserveExposure(
  keyId: KeyId,
  limit: CountedLimit,
  exposed: Exposed,
  context: BookingContext,
): Promise<Reserved | Refused> {
  const { exposure, clock, ids, limits } = context;
  const bound = boundOf(keyId, limit, context);
  const nowMs = clock.nowMs();
  if (bound === null || nowMs >= exposed.endsAtMs) return NOTHING;
  const counter = counterOf(keyId, limit);
  const attempt = ids.uuid();
  const entry = { ...exposed, attempt, openUntilMs: nowMs + limits.claimMs, checkedAtMs: 0 };
  const reserve = () =>
    exposure.counters.change(counter, (entries) => {
      const reservation = reserved(entries, entry, bound, nowMs);
      return { entries: reservation.kind === 'reserved' ? reservation.entries : entries, result: reservation };
    });
  let reservation = await reserve();
  if (reservation.kind === 'over' && (await compareWithLog(counter, limit, context))) reservation = await reserve();
  if (reservation.kind === 'over') return overExposure(limit, { ...reservation, bound, wanted: exposed.amount });
  const giveBack = () =>
    bestEffort(() =>
      exposure.counters.change(counter, (entries) => ({
        entries: withoutAttempt(entries, exposed.subject, attempt),
        result: undefined,
      })),
    );
  return { kind: 'reserved', giveBack };
}

/** The refusal that a reservation would get; null for none. Writes nothing but what the log corrects. */
export async function predictExposure(
  keyId: KeyId,
  limit: CountedLimit,
  exposed: Exposed,
  context: BookingContext,
): Promise<Refused | null> {
  const bound = boundOf(keyId, limit, context);
  const nowMs = context.clock.nowMs();
  if (bound === null || nowMs >= exposed.endsAtMs) return null;
  const counter = counterOf(keyId, limit);
  const entry = { ...exposed, attempt: null, openUntilMs: 0, checkedAtMs: 0 };
  const predict = async () => reserved(await context.exposure.counters.read(counter), entry, bound, nowMs);
  let reservation = await predict();
  if (reservation.kind === 'over' && (await compareWithLog(counter, limit, context))) reservation = await predict();
  return reservation.kind === 'over' ? overExposure(limit, { ...reservation, bound, wanted: exposed.amount }) : null;
}

/**
 * Ends what a booking or hold takes of a limit, or replaces it by what it takes from now on. Best effort.
 * @param beganMs the start of the request: what other requests reserved later for the same booking stays
 */
export async function settleExposure(
  keyId: KeyId,
  limit: CountedLimit,
  { subject, counts }: { readonly subject: string; readonly counts: Pick<Exposed, 'amount' | 'endsAtMs'> | null },
  context: Pick<BookingContext, 'exposure' | 'clock' | 'limits'>,
  beganMs = context.clock.nowMs(),
): Promise<void> {
  if (boundOf(keyId, limit, context) === null) return;
  const { clock, exposure, limits } = context;
  const settling = { subject, counts, openUntilMs: beganMs + limits.claimMs, nowMs: clock.nowMs() };
  await bestEffort(() =>
    exposure.counters.change(counterOf(keyId, limit), (entries) => ({
      entries: settled(entries, settling),
      result: undefined,
    })),
  );
}

function boundOf(keyId: KeyId, limit: CountedLimit, { exposure }: Pick<BookingContext, 'exposure'>): number | null {
  return exposure.limitsOf(keyId)?.[limit] ?? null;
}

function counterOf(keyId: KeyId, limit: CountedLimit): string {
  return `${keyId} ${limit}`;
}

/** The request's change is stored, so its answer is not a 503. */
async function bestEffort(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (fault) {
    if (!(fault instanceof StoreUnavailable)) throw fault;
  }
}
