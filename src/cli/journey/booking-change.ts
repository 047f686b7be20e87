import { DAY_MS } from '../../eventsourcing/durations.ts';
import { type Answer, dataOf, outcomeOf, positionOf } from './client.ts';
import { type Choice, GUEST, type JourneyContext, type OwnKey } from './context.ts';
import { awaitEvent } from './deliveries.ts';
import { at, listAt, numberAt, textAt } from './json.ts';
import { pollUntil } from './poll-until.ts';
import { type Check, StepFailed } from './step.ts';

/** Days from the first booking that are searched for free slots; far enough ahead for a full refund by most policies. */
const DAYS_AHEAD = { from: 10, to: 24 };
/** The statement follows within two seconds; a busy machine gets more. */
const LISTED_WITHIN_MS = 10_000;

/** The booking that is changed and cancelled. Amounts in major units of the currency. */
type Trip = { readonly id: string; readonly date: string; readonly perPerson: number; readonly currency: string };

/**
 * Holds a slot on another date, books it, adds a guest, and cancels. Checks the two webhooks, and the charges and the refund
 * in the statement.
 */
export async function changeAndCancel(choice: Choice, key: OwnKey, context: JourneyContext): Promise<void> {
  const trip = await bookWithHold(choice, key, context);
  const total = await addGuest(trip, key, context);
  await awaitEvent('booking_modified', key, context, {
    booking_id: trip.id,
    modified_by: 'user',
    'changes.num_adults': { from: 1, to: 2 },
    'new_pricing.total': total,
  });
  const { refunded, position } = await cancelBooking(trip, total, key, context);
  await awaitEvent('booking_cancelled', key, context, {
    booking_id: trip.id,
    reason: 'user_requested',
    cancellation_reason: 'user_requested',
    refund_amount: refunded,
    currency: trip.currency,
  });
  await checkStatement(trip, refunded, { key, position }, context);
}

async function bookWithHold(choice: Choice, key: OwnKey, { ask, steps, clock }: JourneyContext): Promise<Trip> {
  const date = await steps.run('another date with free slots', async (check) => {
    for (let ahead = DAYS_AHEAD.from; ahead <= DAYS_AHEAD.to; ahead++) {
      const day = new Date(Date.parse(choice.date) + ahead * DAY_MS).toISOString().slice(0, 10);
      const path = `/api/b2a/inventory?activity_id=${choice.activityId}&date=${day}&min_slots=${GUEST.adults}`;
      const answer = await ask({ path, as: key.credential });
      if (outcomeOf(answer) === '404 NO_INVENTORY') continue;
      check.fact(`${numberAt(listAt(dataOf('inventory', answer), 'inventory')[0], 'available_slots')} free on ${day}`);
      return day;
    }
    throw new StepFailed('the inventory', `a day from ${DAYS_AHEAD.from} to ${DAYS_AHEAD.to} days ahead`, 'none');
  });
  const place = { activity_id: choice.activityId, booking_date: date, num_adults: 1 };
  const held = await steps.run('hold', async (check) => {
    const made = await ask({ method: 'POST', path: '/api/b2a/holds', as: key.credential, body: place });
    const hold = dataOf('the hold', made);
    check.matches('the hold', hold, { ...place, num_children: 0, status: 'open' });
    const expiresAt = textAt(hold, 'expires_at');
    check.holds('it ends later', Date.parse(expiresAt) > clock.nowMs(), expiresAt);
    check.fact(`${textAt(hold, 'hold_id')} until ${expiresAt}`);
    return { id: textAt(hold, 'hold_id'), pricing: at(hold, 'pricing') };
  });
  return steps.run('booking of the hold', async (check) => {
    const body = { ...place, user_email: GUEST.email, user_name: GUEST.name, hold_id: held.id };
    const path = '/api/b2a/execute_booking';
    const booking = dataOf('the booking', await ask({ method: 'POST', path, as: key.credential, body }));
    check.matches('the booking', booking, { status: 'confirmed', booking_date: date, pricing: held.pricing });
    const hold = dataOf('the hold', await ask({ path: `/api/b2a/holds/${held.id}`, as: key.credential }));
    check.matches('the hold', hold, { status: 'used' });
    const id = textAt(booking, 'booking_id');
    if (id === '') throw new StepFailed('execute_booking', 'a booking_id', booking);
    check.fact(id);
    return { id, date, perPerson: numberAt(held.pricing, 'total'), currency: textAt(held.pricing, 'currency') };
  });
}

/** @returns the price for two guests */
async function addGuest({ id, perPerson }: Trip, key: OwnKey, { ask, steps }: JourneyContext): Promise<number> {
  return steps.run('booking change', async (check) => {
    const path = `/api/b2a/bookings/${id}`;
    const before = await ask({ path, as: key.credential });
    const etag = before.headers.get('etag') ?? '';
    const modify = (adults: number): Promise<Answer> => {
      const headers = { 'if-match': etag };
      const body = { num_adults: adults };
      return ask({ method: 'POST', path: `${path}/modify`, as: key.credential, headers, body });
    };
    const total = Math.round(perPerson * 2 * 100) / 100;
    const modified = dataOf('modify', await modify(2));
    check.matches('the booking', modified, {
      booking_id: id,
      status: 'confirmed',
      num_adults: 2,
      'pricing.total': total,
      'new_pricing.total': total,
      'changes.num_adults': { from: 1, to: 2 },
      'voucher.code': textAt(before.body, 'data.voucher.code'),
    });
    const late = outcomeOf(await modify(1));
    const refusal = '409 REVISION_CONFLICT';
    check.holds(`a change of what it was before is answered ${refusal}`, late === refusal, late);
    check.fact(`${perPerson}, now ${total}`);
    return total;
  });
}

async function cancelBooking(
  { id, currency }: Trip,
  total: number,
  key: OwnKey,
  { ask, steps, clock }: JourneyContext,
) {
  return steps.run('cancellation and refund', async (check) => {
    const cancel = (body: object): Promise<Answer> =>
      ask({ method: 'POST', path: `/api/b2a/bookings/${id}/cancel`, as: key.credential, body });
    const quote = dataOf('the quote', await cancel({ dry_run: true }));
    const quoted = numberAt(quote, 'refund_amount');
    check.matches('the quote', quote, { dry_run: true, status: 'confirmed', currency });
    if (Date.parse(textAt(quote, 'free_until')) > clock.nowMs())
      check.holds(`all of ${total} is quoted, as long as it is free`, quoted === total, quoted);
    const answer = await cancel({});
    const status = { status: 'cancelled', reason: 'user_requested', refund_amount: quoted, currency };
    check.matches('the cancellation', dataOf('cancel', answer), status);
    check.matches('the same again', dataOf('cancel', await cancel({})), status);
    check.fact(`${quoted} of ${total} ${currency} back`);
    return { refunded: quoted, position: positionOf(answer) };
  });
}

async function checkStatement(
  { id, perPerson, currency }: Trip,
  refunded: number,
  { key, position }: { readonly key: OwnKey; readonly position: Readonly<Record<string, string>> },
  { ask, steps, clock }: JourneyContext,
): Promise<void> {
  await steps.run('statement', async (check: Check) => {
    const wanted = [
      `charge ${perPerson} ${currency}`,
      `charge ${perPerson} ${currency}`,
      ...(refunded === 0 ? [] : [`refund ${refunded} ${currency}`]),
    ];
    const look = async (): Promise<readonly string[]> => {
      const path = '/api/keys/self/statement?limit=100';
      const statement = dataOf('the statement', await ask({ path, as: key.credential, headers: position }));
      const own = listAt(statement, 'items').filter((item) => textAt(item, 'booking_id') === id);
      return own.map((item) => `${textAt(item, 'type')} ${numberAt(item, 'amount')} ${textAt(item, 'currency')}`);
    };
    const items = await pollUntil(look, ({ length }) => length >= wanted.length, LISTED_WITHIN_MS, clock);
    check.holds(wanted.join(', '), items.join() === wanted.join(), items);
    check.fact(items.join(', '));
  });
}
