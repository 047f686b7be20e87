import type { ActivityId } from '../../../src/domain/activity/activity.ts';
import { toDecimal } from '../../../src/domain/activity/money.ts';
import { type Attribution, guestsOf } from '../../../src/domain/booking/facts.ts';
import { bookingOfCode } from '../../../src/domain/booking/voucher-code.ts';
import type { BookingId, HoldId, LogId } from '../../../src/domain/ids.ts';
import { auditEvidence, auditUndecided } from './audit-evidence.ts';
import { totalOf } from './booking-in-log.ts';
import type { BookingInLog, ClaimInLog, History } from './history.ts';
import type { KnownBooking, Ledger } from './ledger.ts';

/** Invariants of the log at every moment, also during a booking. Returns the faults as text. */
export function auditLog(history: History): string[] {
  const faults = [...history.faults, ...auditEvidence(history)];
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
  const { facts, claims, money, due, visits, status, cancellation } = booking;
  const claimed = claims.reduce((sum, { size }) => sum + size, 0);
  // The log may record a visit after a later cancellation, which has already released the slots.
  const guests = cancellation !== null || status === 'rejected' ? 0 : guestsOf(facts);
  if (claimed !== guests) faults.push(`${id} is for ${guests} guests and claims ${claimed} slots`);
  if (!Bun.deepEquals(money, due))
    faults.push(`${id} is charged ${JSON.stringify(money)} and not ${JSON.stringify(due)}`);
  faults.push(...auditVouchers(id, booking));
  if (visits.length > 1) faults.push(`${id} has ${visits.length} visits`);
  for (const { id: claim } of claims) {
    const { abandoned, released } = history.claims.get(claim) ?? { abandoned: null, released: null };
    if (abandoned !== null || released !== null) faults.push(`${id} holds ${claim}, which was given up`);
  }
  if (guestOf(booking, history) === null && !booking.erased) faults.push(`${id} has lost its guest`);
  const { attribution } = facts;
  const expected = attribution === null ? null : attributionOf(attribution.logId, facts.activityId, history);
  for (const noted of [attribution, ...visits.map((visit) => visit.attribution)])
    if (!Bun.deepEquals(noted, expected))
      faults.push(`${id} is attributed to ${JSON.stringify(noted)} and not to ${JSON.stringify(expected)}`);
  return faults;
}

function auditVouchers(id: BookingId, { facts, vouchers, vouchersDue }: BookingInLog): string[] {
  const codes = [...new Set(vouchers.map(({ code }) => code))];
  const own = codes.length <= 1 && codes.every((code) => bookingOfCode(code) === id);
  const last = vouchers.at(-1);
  const valid = last === undefined || last.validUntilMs === facts.hours?.closesAtMs;
  if (own && valid && vouchers.length === vouchersDue) return [];
  return [`${id} has the vouchers ${JSON.stringify(vouchers)}`];
}

/** Checks the recommendation that a booking names: its traveller, and the rank of the activity. */
function attributionOf(logId: LogId, activityId: ActivityId, { recommendations }: History): Attribution | null {
  const served = recommendations.get(logId);
  if (served === undefined) return null;
  const place = served.ranked.ids.slice(0, served.shown).indexOf(activityId);
  const { travelType, budget, ageGroup } = served.profile;
  return { logId, rank: place < 0 ? null : place + 1, segment: { travelType, budget, ageGroup } };
}

/** Checks that the log confirms every answer that a client received. */
export function auditTold(history: History, ledger: Ledger): string[] {
  const faults: string[] = [];
  for (const [id, known] of ledger.bookings) {
    const booking = history.bookings.get(id as BookingId);
    if (booking === undefined) faults.push(`${id} was answered as confirmed, and is not in the log`);
    // A client that waits for the answer to a change does not know the booking's current state.
    else if (!ledger.changing.has(id)) faults.push(...auditAnswer(id, known, booking, history));
  }
  for (const [id, answered] of ledger.visits) {
    const visits = history.bookings.get(id as BookingId)?.visits ?? [];
    const times = visits.map(({ verifiedAtMs }) => new Date(verifiedAtMs).toISOString());
    if (visits.length !== 1 || (answered !== null && answered.verified_at !== times[0]))
      faults.push(`${id} was told to be visited at ${answered?.verified_at}, and the log has ${JSON.stringify(times)}`);
  }
  for (const [id, answered] of ledger.recommendations) {
    const served = history.recommendations.get(id as LogId);
    const shown = served?.ranked.ids.slice(0, served.shown);
    if (!Bun.deepEquals(shown, answered))
      faults.push(`${id} was answered ${answered.join()}, and the log has ${shown?.join()}`);
  }
  for (const [id, { booking }] of ledger.holds) {
    const taken = history.holds.get(id as HoldId)?.taken;
    if (taken === undefined) faults.push(`${id} was answered as held, and is not in the log`);
    else if (booking !== null && taken !== booking)
      faults.push(`${id} was used for ${booking}, and the log has ${taken}`);
  }
  return faults;
}

function auditAnswer(id: string, { data }: KnownBooking, booking: BookingInLog, history: History): string[] {
  const { facts, vouchers, mailedAt, cancellation } = booking;
  const guest = guestOf(booking, history);
  const { currency } = facts.pricing;
  const inLog = {
    activity: facts.activityId,
    date: facts.date,
    adults: facts.numAdults,
    children: facts.numChildren,
    voucher: vouchers[0]?.code ?? null,
    price: toDecimal(totalOf(facts), currency),
    refunded: cancellation === null ? null : toDecimal(cancellation.refundMinor, currency),
    guest: guest === null ? null : [guest.name, guest.email, guest.specialRequests],
    recommendation: facts.attribution?.logId ?? null,
    // An answer may have been given before the mail was sent.
    mailedAt: data.email_sent ? mailedAt : [],
  };
  const answered = {
    activity: data.activity.id,
    date: data.booking_date,
    adults: data.num_adults,
    children: data.num_children,
    voucher: data.voucher?.code ?? null,
    price: data.pricing.total,
    refunded: data.status === 'cancelled' ? (data.cancellation?.refund_amount ?? null) : null,
    guest: [data.user_name, data.user_email, data.special_requests],
    recommendation: data.context_log_id,
    mailedAt: data.email_sent ? [data.email_sent_at] : [],
  };
  if (Bun.deepEquals(answered, inLog)) return [];
  return [`${id} was answered ${JSON.stringify(answered)}, and the log has ${JSON.stringify(inLog)}`];
}

/** Invariants once every client has its answer and the reaper is idle. */
export function auditSettled(history: History, ledger: Ledger, erased: ReadonlySet<string>): string[] {
  const faults = [...auditLeaks(history, erased), ...auditUndecided(history)];
  for (const [id, booking] of history.bookings) {
    // The first record has the guest's name of the request, which is unique.
    const number = Number(/(\d+)$/.exec(history.guests.get(booking.records[0] ?? '')?.name ?? '')?.[1]);
    if (!ledger.bookings.has(id) && !ledger.lost.has(number))
      faults.push(`${id} exists, and nobody was told (ask ${number})`);
  }
  return faults;
}

/** Claims and holds that remain although all requests have ended and all deadlines have passed. */
export function auditLeaks(history: History, erased: ReadonlySet<string>): string[] {
  const faults: string[] = [];
  const onRecord = new Set<string>();
  for (const { records, erased: forgotten } of history.bookings.values())
    if (!forgotten) for (const record of records) onRecord.add(record);
  for (const claim of looseClaims(history)) {
    const { claim: name, abandoned, dropped, released } = claim;
    if (abandoned === null && dropped === null) faults.push(`${name} is nobody's, and was never abandoned`);
    if (released === null) faults.push(`${name} is nobody's, and was never released`);
    if (!onRecord.has(name) && dropped === null && !erased.has(name))
      faults.push(`${name} is nobody's, and its guest was not erased`);
  }
  for (const { claim, excess } of history.claims.values())
    if (excess.at(-1)?.untilMs === null) faults.push(`${claim} was never shrunk to what is needed`);
  for (const { hold, taken, released } of history.holds.values())
    if (taken === null && released === null) faults.push(`${hold} is nobody's, and was never released`);
  for (const claim of history.guests.keys())
    if (!onRecord.has(claim)) faults.push(`the guest of ${claim} is on record, and has no booking`);
  return faults;
}

/** Claims whose slots or guest's record no booking needs. */
export function looseClaims({ claims, bookings }: History): ClaimInLog[] {
  return [...claims.values()].filter(({ claim, booking, dropped }) => {
    const held = bookings.get(booking);
    const named = held?.claims.some(({ id }) => id === claim) === true;
    return !named && (dropped !== null || held?.records.includes(claim) !== true);
  });
}

/** The time in which a service process answered requests; ms since the epoch. */
export type Life = { readonly fromMs: number; readonly toMs: number };

/**
 * The longest time, in ms, in which a running service left something unreleased: a claim past its deadline, an abandoned or
 * dropped claim, surplus slots, or an expired hold. Each life of the service counts from its own start.
 */
export function longestLeftAlone(history: History, lives: readonly Life[]): number {
  const owed: { readonly fromMs: number; readonly untilMs: number | null }[] = [];
  for (const { deadlineMs, abandoned, dropped, released } of looseClaims(history)) {
    const given = dropped ?? abandoned;
    if (dropped === null) owed.push({ fromMs: deadlineMs, untilMs: abandoned?.atMs ?? null });
    if (given !== null) owed.push({ fromMs: given.atMs, untilMs: released?.atMs ?? null });
  }
  for (const { excess } of history.claims.values()) owed.push(...excess);
  for (const { expiresAtMs, taken, released } of history.holds.values())
    if (taken === null) owed.push({ fromMs: expiresAtMs, untilMs: released?.atMs ?? null });
  const waits = owed.flatMap(({ fromMs, untilMs }) =>
    lives.map((life) => Math.min(untilMs ?? life.toMs, life.toMs) - Math.max(fromMs, life.fromMs)),
  );
  return Math.max(0, ...waits);
}

export function guestOf({ records }: Pick<BookingInLog, 'records'>, { guests }: Pick<History, 'guests'>) {
  return guests.get(records.at(-1) ?? '') ?? null;
}
