import { DAY_MS } from '../../eventsourcing/durations.ts';
import { dataOf, type Headers, outcomeOf, positionOf } from './client.ts';
import { type AgentContext, type Choice, GUEST, guestEmail } from './context.ts';
import { awaitEvent } from './deliveries.ts';
import { at, listAt, numberAt, textAt } from './json.ts';
import { pollUntil, StepFailed } from './step.ts';

/** Days from the first booking that are searched for free slots; far enough ahead for a full refund by most policies. */
const DAYS_AHEAD = { from: 10, to: 24 };
/** The statement follows within two seconds; a busy machine gets more. */
const LISTED_WITHIN_MS = 10_000;

/** Holds a slot on another date, books it, adds a guest, cancels, and checks webhooks and statement. */
export async function changeAndCancel(choice: Choice, context: AgentContext): Promise<void> {
  const id = await bookWithHold(choice, context);
  await addGuest(id, context);
  await awaitEvent('booking_modified', id, context);
  const { refunded, position } = await cancelBooking(id, context);
  await awaitEvent('booking_cancelled', id, context);
  await checkStatement(id, refunded, position, context);
}

/** @returns the booking's id */
async function bookWithHold(
  { activityId, date: first }: Choice,
  { keyId, agent, step }: AgentContext,
): Promise<string> {
  const date = await step('another date with free slots', async (check) => {
    for (let ahead = DAYS_AHEAD.from; ahead <= DAYS_AHEAD.to; ahead++) {
      const day = new Date(Date.parse(first) + ahead * DAY_MS).toISOString().slice(0, 10);
      const path = `/api/b2a/inventory?activity_id=${activityId}&date=${day}&min_slots=${GUEST.adults}`;
      const answer = await agent.get(path);
      if (outcomeOf(answer) === '404 NO_INVENTORY') continue;
      check.fact(`${numberAt(listAt(dataOf(answer), 'inventory')[0], 'available_slots')} free on ${day}`);
      return day;
    }
    throw new StepFailed('the inventory', `a day from ${DAYS_AHEAD.from} to ${DAYS_AHEAD.to} days ahead`, 'none');
  });
  const place = { activity_id: activityId, booking_date: date, num_adults: 1 };
  const held = await step('hold', async (check) => {
    const hold = dataOf(await agent.post('/api/b2a/holds', place));
    check.matches('the hold', hold, { status: 'open' });
    check.fact(`${textAt(hold, 'hold_id')} until ${textAt(hold, 'expires_at')}`);
    return { id: textAt(hold, 'hold_id'), pricing: at(hold, 'pricing') };
  });
  return step('booking of the hold', async (check) => {
    const order = { ...place, user_email: guestEmail(keyId), user_name: GUEST.name, hold_id: held.id };
    const booking = dataOf(await agent.post('/api/b2a/execute_booking', order));
    check.matches('the booking', booking, { status: 'confirmed', pricing: held.pricing });
    const id = textAt(booking, 'booking_id');
    if (id === '') throw new StepFailed('execute_booking', 'a booking_id', booking);
    check.matches('the hold', dataOf(await agent.get(`/api/b2a/holds/${held.id}`)), { status: 'used' });
    check.fact(id);
    return id;
  });
}

async function addGuest(id: string, { agent, step }: AgentContext): Promise<void> {
  await step('booking change', async (check) => {
    const path = `/api/b2a/bookings/${id}`;
    const before = await agent.get(path);
    const unchanged = { 'if-match': before.headers.get('etag') ?? '' };
    const modified = dataOf(await agent.post(`${path}/modify`, { num_adults: 2 }, unchanged));
    check.matches('the booking', modified, { status: 'confirmed', num_adults: 2 });
    const outdated = outcomeOf(await agent.post(`${path}/modify`, { num_adults: 1 }, unchanged));
    const refusal = '409 REVISION_CONFLICT';
    check.holds(`a change with the old ETag is answered ${refusal}`, outdated === refusal, outdated);
    check.fact(`${numberAt(before.body, 'data.pricing.total')}, now ${numberAt(modified, 'new_pricing.total')}`);
  });
}

async function cancelBooking(id: string, { agent, step }: AgentContext) {
  return step('cancellation and refund', async (check) => {
    const path = `/api/b2a/bookings/${id}/cancel`;
    const quoted = numberAt(dataOf(await agent.post(path, { dry_run: true })), 'refund_amount');
    const answer = await agent.post(path, {});
    const cancelled = dataOf(answer);
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
  position: Headers,
  { agent, step, clock }: AgentContext,
): Promise<void> {
  await step('statement', async (check) => {
    const read = async (): Promise<readonly string[]> => {
      const items = listAt(dataOf(await agent.get('/api/keys/self/statement?limit=100', position)), 'items');
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
