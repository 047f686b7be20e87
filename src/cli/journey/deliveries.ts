import { dataOf } from './client.ts';
import { type Booked, type Choice, GUEST, type JourneyContext, type OwnKey } from './context.ts';
import { at, listAt, numberAt, textAt } from './json.ts';
import { pollUntil } from './poll-until.ts';
import { StepFailed } from './step.ts';

/** From the event to the first attempt. */
const DELIVERED_WITHIN_MS = 15_000;
/** The delivery log follows within two seconds; a busy machine gets more. */
const LISTED_WITHIN_MS = 10_000;

/** A received delivery, as later checks need it. */
export type Arrived = {
  readonly event: string;
  readonly deliveryId: string;
  readonly sequence: number;
  readonly data: unknown;
};

/** Checks booking_confirmed and voucher_delivered against the booking. */
export async function awaitBookingEvents(
  booked: Booked,
  choice: Choice,
  logId: string,
  key: OwnKey,
  context: JourneyContext,
): Promise<readonly [confirmed: Arrived, delivered: Arrived]> {
  const confirmed = await awaitEvent('booking_confirmed', key, context, {
    booking_id: booked.id,
    activity_id: choice.activityId,
    activity_title: choice.title,
    user_email: GUEST.email,
    user_name: GUEST.name,
    booking_date: choice.date,
    num_adults: GUEST.adults,
    num_children: 0,
    num_guests: GUEST.adults,
    total_price: booked.total,
    currency: choice.currency,
    'pricing.total': booked.total,
    context_log_id: logId,
    voucher_code: booked.voucherCode,
  });
  const delivered = await awaitEvent('voucher_delivered', key, context, {
    booking_id: booked.id,
    voucher_code: booked.voucherCode,
    delivered_to: GUEST.email,
    delivery_method: 'email',
  });
  return [confirmed, delivered];
}

/** Waits for an event and checks its signatures, its envelope and the fields in `data`. */
export async function awaitEvent(
  event: string,
  key: OwnKey,
  { receiver, steps }: JourneyContext,
  data: Readonly<Record<string, unknown>>,
): Promise<Arrived> {
  return steps.run(`webhook ${event}`, async (check) => {
    const received = await receiver.wait(event, DELIVERED_WITHIN_MS);
    if (received === null)
      throw new StepFailed('the receiver', `${event} within ${DELIVERED_WITHIN_MS / 1_000} s`, 'nothing');
    const { headers, event: envelope, faults } = received;
    check.holds('both signatures hold', faults.length === 0, faults.join('; '));
    check.matches('the envelope', envelope, { event, api_version: '2026-11' });
    check.matches(`${event}.data`, at(envelope, 'data'), data);
    const deliveryId = headers.get('x-service-delivery-id') ?? '';
    const id = textAt(envelope, 'id');
    const sequence = numberAt(envelope, 'sequence');
    check.holds('it has an id, the same in webhook-id', id !== '' && headers.get('webhook-id') === id, id);
    check.holds('X-Service-Event names it', headers.get('x-service-event') === event, headers.get('x-service-event'));
    check.holds('X-Service-Delivery-Id names the delivery', deliveryId !== '', deliveryId);
    check.holds('created_at is a time', !Number.isNaN(Date.parse(textAt(envelope, 'created_at'))), envelope);
    check.holds('sequence is a whole number', Number.isInteger(sequence), at(envelope, 'sequence'));
    const agent = headers.get('user-agent');
    check.holds(`User-Agent is Waymark-Webhooks/${key.version}`, agent === `Waymark-Webhooks/${key.version}`, agent);
    check.fact(`${id}, sequence ${sequence}`);
    return { event, deliveryId, sequence, data: at(envelope, 'data') };
  });
}

/** Checks that the sequence numbers grow and that the delivery log reports each delivery as a success. */
export async function checkDeliveryLog(
  arrived: readonly Arrived[],
  booked: Booked,
  key: OwnKey,
  { ask, steps, clock }: JourneyContext,
): Promise<void> {
  await steps.run('event sequence', async (check) => {
    const sequences = arrived.map(({ sequence }) => sequence);
    const grows = sequences.every((sequence, place) => place === 0 || sequence > (sequences[place - 1] ?? sequence));
    check.holds(`it grows over ${arrived.map(({ event }) => event).join(', ')}`, grows, sequences);
    check.fact(sequences.join(' < '));
  });
  await steps.run('delivery log', async (check) => {
    const path = `/api/webhooks/deliveries?booking_id=${booked.id}&limit=50`;
    const look = async (): Promise<readonly unknown[]> =>
      listAt(dataOf('the delivery log', await ask({ path, as: key.credential })), 'items');
    const all = (items: readonly unknown[]): boolean =>
      items.filter((item) => textAt(item, 'status') === 'success').length >= arrived.length;
    const items = await pollUntil(look, all, LISTED_WITHIN_MS, clock);
    for (const { event, deliveryId } of arrived) {
      const item = items.find((candidate) => textAt(candidate, 'delivery_id') === deliveryId);
      check.matches(`the delivery of ${event}`, item, {
        event,
        status: 'success',
        booking_id: booked.id,
        next_attempt_at: null,
        'payload.event': event,
      });
      const attempts = listAt(item, 'attempts');
      check.holds(
        `the last attempt at ${event} was answered 200`,
        numberAt(attempts.at(-1), 'response_code') === 200,
        attempts,
      );
    }
    check.fact(`${items.length} deliveries`);
  });
}
