import type { ActivityId } from '../../../src/domain/activity/activity.ts';
import { toDecimal } from '../../../src/domain/activity/money.ts';
import { amounts } from '../../../src/domain/activity/pricing.ts';
import type { BookingId } from '../../../src/domain/allotment/allotment.ts';
import { type Attribution, guestsOf } from '../../../src/domain/booking/booking.ts';
import { bookingOfCode } from '../../../src/domain/booking/voucher-code.ts';
import type { LogId } from '../../../src/domain/recommendation/profile.ts';
import type { BookingInLog, ClaimInLog, History } from './history.ts';
import type { KnownBooking, Ledger } from './ledger.ts';

/** What must hold of the log at every moment, also in the middle of a booking. Faults in words, none where all is well. */
export function auditLog(history: History): string[] {
  const faults = [...history.faults];
  const namesakes = new Map<string, BookingId>();
  for (const [id, booking] of history.bookings) {
    faults.push(...auditBooking(id, booking, history));
    const guest = guestOf(booking, history);
    const other = guest === null ? undefined : namesakes.get(guest.name);
    if (other !== undefined) faults.push(`${guest?.name} asked once, and has ${other} and ${id}`);
    if (guest !== null) namesakes.set(guest.name, id);
  }
  return faults;
}

function auditBooking(id: BookingId, booking: BookingInLog, history: History): string[] {
  const faults: string[] = [];
  const { facts, charges, vouchers, visits } = booking;
  const guests = guestsOf(facts);
  const claimed = facts.claims.reduce((sum, { size }) => sum + size, 0);
  if (claimed !== guests) faults.push(`${id} is for ${guests} guests and claims ${claimed} slots`);
  const { currency } = facts.pricing;
  const due = [{ keyId: facts.keyId, amountMinor: amounts(facts.pricing, guests).totalMinor, currency }];
  if (!Bun.deepEquals(charges, due))
    faults.push(`${id} is charged ${JSON.stringify(charges)} and not ${JSON.stringify(due)}`);
  const [voucher] = vouchers;
  if (vouchers.length !== 1 || voucher === undefined || bookingOfCode(voucher.code) !== id)
    faults.push(`${id} has the vouchers ${JSON.stringify(vouchers)}`);
  if (visits.length > 1) faults.push(`${id} has ${visits.length} visits`);
  for (const { id: claim } of facts.claims) {
    const { abandoned, released } = history.claims.get(claim) ?? { abandoned: null, released: null };
    if (abandoned !== null || released !== null) faults.push(`${id} holds ${claim}, which was given up`);
  }
  if (guestOf(booking, history) === null) faults.push(`${id} has lost its guest`);
  const { attribution } = facts;
  const expected = attribution === null ? null : attributionOf(attribution.logId, facts.activityId, history);
  for (const noted of [attribution, ...visits.map((visit) => visit.attribution)])
    if (!Bun.deepEquals(noted, expected))
      faults.push(`${id} is attributed to ${JSON.stringify(noted)} and not to ${JSON.stringify(expected)}`);
  return faults;
}

/** The recommendation that a booking names, as its own event says: its traveller, and where the activity stood in it. */
function attributionOf(logId: LogId, activityId: ActivityId, { recommendations }: History): Attribution | null {
  const served = recommendations.get(logId);
  if (served === undefined) return null;
  const place = served.ranked.ids.slice(0, served.shown).indexOf(activityId);
  const { travelType, budget, ageGroup } = served.profile;
  return { logId, rank: place < 0 ? null : place + 1, segment: { travelType, budget, ageGroup } };
}

/** What clients were told must stand in the log. */
export function auditTold(history: History, ledger: Ledger): string[] {
  const faults: string[] = [];
  for (const [id, known] of ledger.bookings) {
    const booking = history.bookings.get(id as BookingId);
    if (booking === undefined) faults.push(`${id} was answered as confirmed, and is not in the log`);
    else faults.push(...auditAnswer(id, known, booking, history));
  }
  for (const [id, told] of ledger.visits) {
    const visits = history.bookings.get(id as BookingId)?.visits ?? [];
    const times = visits.map(({ verifiedAtMs }) => new Date(verifiedAtMs).toISOString());
    if (visits.length !== 1 || (told !== null && told.verified_at !== times[0]))
      faults.push(`${id} was told to be visited at ${told?.verified_at}, and the log has ${JSON.stringify(times)}`);
  }
  for (const [id, told] of ledger.recommendations) {
    const served = history.recommendations.get(id as LogId);
    const shown = served?.ranked.ids.slice(0, served.shown);
    if (!Bun.deepEquals(shown, told))
      faults.push(`${id} was answered ${told.join()}, and the log has ${shown?.join()}`);
  }
  return faults;
}

function auditAnswer(id: string, { ask, data }: KnownBooking, booking: BookingInLog, history: History): string[] {
  const { facts, charges, vouchers, mailedAt } = booking;
  const guest = guestOf(booking, history);
  const inLog = {
    activity: facts.activityId,
    date: facts.date,
    adults: facts.numAdults,
    children: facts.numChildren,
    voucher: vouchers[0]?.code,
    charged: charges.map(({ amountMinor, currency }) => toDecimal(amountMinor, currency)),
    guest: guest === null ? null : [guest.name, guest.email, guest.specialRequests],
    recommendation: facts.attribution?.logId ?? null,
    // An answer may have been given before the mail was sent.
    mailedAt: data.email_sent ? mailedAt : [],
  };
  const { wish } = ask;
  const told = {
    activity: wish.activity_id,
    date: wish.booking_date,
    adults: wish.num_adults,
    children: wish.num_children,
    voucher: data.voucher.code,
    charged: [data.pricing.total],
    guest: [wish.user_name, wish.user_email, wish.special_requests],
    recommendation: wish.context_log_id,
    mailedAt: data.email_sent ? [data.email_sent_at] : [],
  };
  if (Bun.deepEquals(told, inLog)) return [];
  return [`${id} was answered ${JSON.stringify(told)}, and the log has ${JSON.stringify(inLog)}`];
}

/** What must hold once every client has its answer and the reaper has come to rest. */
export function auditSettled(history: History, ledger: Ledger, erased: ReadonlySet<string>): string[] {
  const faults: string[] = [];
  const held = new Set<string>();
  const known = new Set(ledger.bookings.keys());
  for (const [id, booking] of history.bookings) {
    for (const claim of booking.facts.claims) held.add(claim.id);
    const number = Number(/(\d+)$/.exec(guestOf(booking, history)?.name ?? '')?.[1]);
    if (!known.has(id) && !ledger.lost.has(number)) faults.push(`${id} exists, and nobody was told (ask ${number})`);
  }
  for (const claim of looseClaims(history)) {
    if (claim.abandoned === null) faults.push(`${claim.claim} is nobody's, and was never abandoned`);
    if (claim.released === null) faults.push(`${claim.claim} is nobody's, and was never released`);
    if (!erased.has(claim.claim)) faults.push(`${claim.claim} is nobody's, and its guest was not erased`);
  }
  for (const claim of history.guests.keys())
    if (!held.has(claim)) faults.push(`the guest of ${claim} is on record, and has no booking`);
  return faults;
}

/** Claims that no booking holds. */
export function looseClaims({ claims, bookings }: History): ClaimInLog[] {
  const held = new Set([...bookings.values()].flatMap(({ facts }) => facts.claims.map(({ id }) => id)));
  return [...claims.values()].filter(({ claim }) => !held.has(claim));
}

/** From when to when a service process answered requests; ms since the epoch. */
export type Life = { readonly fromMs: number; readonly toMs: number };

/**
 * The longest that a loose claim was left alone by a service that lived: past its deadline and not abandoned, or
 * abandoned and not released. What one life left undone, the next one is given its own time for. In ms.
 */
export function longestLeftAlone(history: History, lives: readonly Life[]): number {
  const waits = looseClaims(history).flatMap(({ deadlineMs, abandoned, released }) =>
    lives.flatMap(({ fromMs, toMs }) => {
      const within = (beginMs: number, endMs: number): number => Math.min(endMs, toMs) - Math.max(beginMs, fromMs);
      const forAbandonment = within(deadlineMs, abandoned?.atMs ?? toMs);
      return [forAbandonment, abandoned === null ? 0 : within(abandoned.atMs, released?.atMs ?? toMs)];
    }),
  );
  return Math.max(0, ...waits);
}

function guestOf({ facts }: BookingInLog, { guests }: History) {
  return guests.get(facts.claims[0]?.id ?? '') ?? null;
}
