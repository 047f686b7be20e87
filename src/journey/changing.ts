import { type Answer, dataOf, outcomeOf, positionOf } from './client.ts';
import { awaitEvent } from './events.ts';
import { eventually } from './patience.ts';
import { at, listAt, numberAt, textAt } from './reading.ts';
import { type Choice, GUEST, type OwnKey, type Scene } from './scene.ts';
import { Broken, type Seen } from './step.ts';

/** Far enough ahead that a change of mind costs nothing by most policies, and so many days are looked at for one that is open. */
const DAYS_AHEAD = { from: 10, to: 24 };
const DAY_MS = 86_400_000;
/** The statement is a list: it follows within two seconds, or sooner where the question says how far. */
const LISTED_WITHIN_MS = 10_000;

/** A booking that is changed and given up again. Amounts in the currency's own precision. */
type Trip = { readonly id: string; readonly date: string; readonly perPerson: number; readonly currency: string };

/**
 * One of the two plans another day there: holds a place, books it, takes the other one along, and gives it up. What was
 * charged and refunded for it stands in the statement, and receivers hear of the change and of the end.
 */
export async function changeOfMind(choice: Choice, key: OwnKey, scene: Scene): Promise<void> {
  const trip = await bookHeld(choice, key, scene);
  const total = await takeAlong(trip, key, scene);
  await awaitEvent('booking_modified', key, scene, {
    booking_id: trip.id,
    modified_by: 'user',
    'changes.num_adults': { from: 1, to: 2 },
    'new_pricing.total': total,
  });
  const { refunded, position } = await giveUp(trip, total, key, scene);
  await awaitEvent('booking_cancelled', key, scene, {
    booking_id: trip.id,
    reason: 'user_requested',
    cancellation_reason: 'user_requested',
    refund_amount: refunded,
    currency: trip.currency,
  });
  await checkStatement(trip, refunded, { key, position }, scene);
}

async function bookHeld(choice: Choice, key: OwnKey, { ask, steps, clock }: Scene): Promise<Trip> {
  const date = await steps.run('another day has places', async (seen) => {
    for (let ahead = DAYS_AHEAD.from; ahead <= DAYS_AHEAD.to; ahead++) {
      const day = new Date(Date.parse(choice.date) + ahead * DAY_MS).toISOString().slice(0, 10);
      const path = `/api/b2a/inventory?activity_id=${choice.activityId}&date=${day}&min_slots=${GUEST.adults}`;
      const answer = await ask({ path, as: key.credential });
      if (outcomeOf(answer) === '404 NO_INVENTORY') continue;
      seen.fact(`${numberAt(listAt(dataOf('inventory', answer), 'inventory')[0], 'available_slots')} free on ${day}`);
      return day;
    }
    throw new Broken('the inventory', `a day from ${DAYS_AHEAD.from} to ${DAYS_AHEAD.to} days ahead`, 'none');
  });
  const place = { activity_id: choice.activityId, booking_date: date, num_adults: 1 };
  const held = await steps.run('a hold keeps a place and its price', async (seen) => {
    const made = await ask({ method: 'POST', path: '/api/b2a/holds', as: key.credential, body: place });
    const hold = dataOf('the hold', made);
    seen.matches('the hold', hold, { ...place, num_children: 0, status: 'open' });
    const expiresAt = textAt(hold, 'expires_at');
    seen.holds('it ends later', Date.parse(expiresAt) > clock.nowMs(), expiresAt);
    seen.fact(`${textAt(hold, 'hold_id')} until ${expiresAt}`);
    return { id: textAt(hold, 'hold_id'), pricing: at(hold, 'pricing') };
  });
  return steps.run('the booking takes the hold', async (seen) => {
    const body = { ...place, user_email: GUEST.email, user_name: GUEST.name, hold_id: held.id };
    const path = '/api/b2a/execute_booking';
    const booking = dataOf('the booking', await ask({ method: 'POST', path, as: key.credential, body }));
    seen.matches('the booking', booking, { status: 'confirmed', booking_date: date, pricing: held.pricing });
    const hold = dataOf('the hold', await ask({ path: `/api/b2a/holds/${held.id}`, as: key.credential }));
    seen.matches('the hold', hold, { status: 'used' });
    const id = textAt(booking, 'booking_id');
    if (id === '') throw new Broken('execute_booking', 'a booking_id', booking);
    seen.fact(id);
    return { id, date, perPerson: numberAt(held.pricing, 'total'), currency: textAt(held.pricing, 'currency') };
  });
}

/** @returns what the booking costs with both */
async function takeAlong({ id, perPerson }: Trip, key: OwnKey, { ask, steps }: Scene): Promise<number> {
  return steps.run('a second guest comes along', async (seen) => {
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
    seen.matches('the booking', modified, {
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
    seen.holds(`a change of what it was before is answered ${refusal}`, late === refusal, late);
    seen.fact(`${perPerson}, now ${total}`);
    return total;
  });
}

async function giveUp({ id, currency }: Trip, total: number, key: OwnKey, { ask, steps, clock }: Scene) {
  return steps.run('it is cancelled, and refunded as quoted', async (seen) => {
    const cancel = (body: object): Promise<Answer> =>
      ask({ method: 'POST', path: `/api/b2a/bookings/${id}/cancel`, as: key.credential, body });
    const quote = dataOf('the quote', await cancel({ dry_run: true }));
    const quoted = numberAt(quote, 'refund_amount');
    seen.matches('the quote', quote, { dry_run: true, status: 'confirmed', currency });
    if (Date.parse(textAt(quote, 'free_until')) > clock.nowMs())
      seen.holds(`all of ${total} is quoted, as long as it is free`, quoted === total, quoted);
    const answer = await cancel({});
    const status = { status: 'cancelled', reason: 'user_requested', refund_amount: quoted, currency };
    seen.matches('the cancellation', dataOf('cancel', answer), status);
    seen.matches('the same again', dataOf('cancel', await cancel({})), status);
    seen.fact(`${quoted} of ${total} ${currency} back`);
    return { refunded: quoted, position: positionOf(answer) };
  });
}

async function checkStatement(
  { id, perPerson, currency }: Trip,
  refunded: number,
  { key, position }: { readonly key: OwnKey; readonly position: Readonly<Record<string, string>> },
  { ask, steps, clock }: Scene,
): Promise<void> {
  await steps.run('the statement tells what was charged and refunded', async (seen: Seen) => {
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
    const items = await eventually(look, ({ length }) => length >= wanted.length, LISTED_WITHIN_MS, clock);
    seen.holds(wanted.join(', '), items.join() === wanted.join(), items);
    seen.fact(items.join(', '));
  });
}
