import { DAY_MS } from '../../eventsourcing/durations.ts';
import { type Answer, dataOf, type Headers, outcomeOf, positionOf } from './client.ts';
import { type Choice, GUEST, type JourneyContext, type OwnKey } from './context.ts';
import { awaitEvent } from './deliveries.ts';
import { at, listAt, numberAt, textAt } from './json.ts';
import { pollUntil, StepFailed } from './step.ts';

/** Days from the first booking that are searched for free slots; far enough ahead for a full refund by most policies. */
const DAYS_AHEAD = { from: 10, to: 24 };
/** The statement follows within two seconds; a busy machine gets more. */
const LISTED_WITHIN_MS = 10_000;

/** Holds a slot on another date, books it, adds a guest, cancels, and checks webhooks and statement. */
export async function changeAndCancel(choice: Choice, key: OwnKey, context: JourneyContext): Promise<void> {
  const id = await bookWithHold(choice, key, context);
  await addGuest(id, key, context);
  await awaitEvent('booking_modified', id, context);
  const { refunded, position } = await cancelBooking(id, key, context);
  await awaitEvent('booking_cancelled', id, context);
  await checkStatement(id, refunded, key, position, context);
}

/** @returns the booking's id */
async function bookWithHold(choice: Choice, key: OwnKey, { ask, steps }: JourneyContext): Promise<string> {
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
    const hold = dataOf(
      'the hold',
      await ask({ method: 'POST', path: '/api/b2a/holds', as: key.credential, body: place }),
    );
    check.matches('the hold', hold, { status: 'open' });
    check.fact(`${textAt(hold, 'hold_id')} until ${textAt(hold, 'expires_at')}`);
    return { id: textAt(hold, 'hold_id'), pricing: at(hold, 'pricing') };
  });
  return steps.run('booking of the hold', async (check) => {
    const body = { ...place, user_email: GUEST.email, user_name: GUEST.name, hold_id: held.id };
    const path = '/api/b2a/execute_booking';
    const booking = dataOf('the booking', await ask({ method: 'POST', path, as: key.credential, body }));
    check.matches('the booking', booking, { status: 'confirmed', pricing: held.pricing });
    const id = textAt(booking, 'booking_id');
    if (id === '') throw new StepFailed('execute_booking', 'a booking_id', booking);
    const hold = dataOf('the hold', await ask({ path: `/api/b2a/holds/${held.id}`, as: key.credential }));
    check.matches('the hold', hold, { status: 'used' });
    check.fact(id);
    return id;
  });
}

async function addGuest(id: string, key: OwnKey, { ask, steps }: JourneyContext): Promise<void> {
  await steps.run('booking change', async (check) => {
    const path = `/api/b2a/bookings/${id}`;
    const before = await ask({ path, as: key.credential });
    const headers = { 'if-match': before.headers.get('etag') ?? '' };
    const modify = (adults: number): Promise<Answer> =>
      ask({ method: 'POST', path: `${path}/modify`, as: key.credential, headers, body: { num_adults: adults } });
    const modified = dataOf('modify', await modify(2));
    check.matches('the booking', modified, { status: 'confirmed', num_adults: 2 });
    const outdated = outcomeOf(await modify(1));
    const refusal = '409 REVISION_CONFLICT';
    check.holds(`a change with the old ETag is answered ${refusal}`, outdated === refusal, outdated);
    check.fact(`${numberAt(before.body, 'data.pricing.total')}, now ${numberAt(modified, 'new_pricing.total')}`);
  });
}

async function cancelBooking(id: string, key: OwnKey, { ask, steps }: JourneyContext) {
  return steps.run('cancellation and refund', async (check) => {
    const cancel = (body: object): Promise<Answer> =>
      ask({ method: 'POST', path: `/api/b2a/bookings/${id}/cancel`, as: key.credential, body });
    const quoted = numberAt(dataOf('the quote', await cancel({ dry_run: true })), 'refund_amount');
    const answer = await cancel({});
    const cancelled = dataOf('cancel', answer);
    check.matches('the cancellation', cancelled, { status: 'cancelled', refund_amount: quoted });
    const refunded = `${quoted} ${textAt(cancelled, 'currency')}`;
    check.fact(`${refunded} back`);
    return { refunded, position: positionOf(answer) };
  });
}

/** Checks the two charges, and the refund unless it is zero. */
async function checkStatement(
  id: string,
  refunded: string,
  key: OwnKey,
  headers: Headers,
  { ask, steps, clock }: JourneyContext,
): Promise<void> {
  await steps.run('statement', async (check) => {
    const read = async (): Promise<readonly string[]> => {
      const path = '/api/keys/self/statement?limit=100';
      const items = listAt(dataOf('the statement', await ask({ path, as: key.credential, headers })), 'items');
      const own = items.filter((item) => textAt(item, 'booking_id') === id);
      return own.map((item) => `${textAt(item, 'type')} ${numberAt(item, 'amount')} ${textAt(item, 'currency')}`);
    };
    const complete = (items: readonly string[]): boolean =>
      items.filter((item) => item.startsWith('charge ')).length === 2 &&
      (refunded.startsWith('0 ') || items.includes(`refund ${refunded}`));
    const items = await pollUntil(read, complete, LISTED_WITHIN_MS, clock);
    check.holds(`two charges and a refund of ${refunded}`, complete(items), items);
    check.fact(items.join(', '));
  });
}
