import { dataOf } from './client.ts';
import { eventually } from './patience.ts';
import { at, listAt, numberAt, textAt } from './reading.ts';
import { type Booked, type Choice, GUEST, type OwnKey, type Scene } from './scene.ts';
import { Broken } from './step.ts';

/** Between what happened and its first attempt; a mail may take its 30 s before it. */
const DELIVERED_WITHIN_MS = 15_000;
/** The delivery log is a list: it follows within two seconds. */
const LISTED_WITHIN_MS = 10_000;

/** A delivery that came, as later checks need it. */
export type Arrived = {
  readonly event: string;
  readonly deliveryId: string;
  readonly sequence: number;
  readonly data: unknown;
};

/** booking_confirmed and voucher_delivered arrive, signed twice, and say what the booking's answer said. */
export async function awaitBookingEvents(
  booked: Booked,
  choice: Choice,
  logId: string,
  key: OwnKey,
  scene: Scene,
): Promise<readonly [confirmed: Arrived, delivered: Arrived]> {
  const confirmed = await awaitEvent('booking_confirmed', key, scene, {
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
  const delivered = await awaitEvent('voucher_delivered', key, scene, {
    booking_id: booked.id,
    voucher_code: booked.voucherCode,
    delivered_to: GUEST.email,
    delivery_method: 'email',
  });
  return [confirmed, delivered];
}

/** `data` names what must stand in the event's data. */
export async function awaitEvent(
  event: string,
  key: OwnKey,
  { receiver, steps }: Scene,
  data: Readonly<Record<string, unknown>>,
): Promise<Arrived> {
  return steps.run(`${event} arrives, and both signatures hold`, async (seen) => {
    const received = await receiver.wait(event, DELIVERED_WITHIN_MS);
    if (received === null)
      throw new Broken('the receiver', `${event} within ${DELIVERED_WITHIN_MS / 1_000} s`, 'nothing');
    const { headers, event: envelope, faults } = received;
    seen.holds('both signatures hold', faults.length === 0, faults.join('; '));
    seen.matches('the envelope', envelope, { event, api_version: '2026-11' });
    seen.matches(`${event}.data`, at(envelope, 'data'), data);
    const deliveryId = headers.get('x-service-delivery-id') ?? '';
    const id = textAt(envelope, 'id');
    const sequence = numberAt(envelope, 'sequence');
    seen.holds('it has an id, the same in webhook-id', id !== '' && headers.get('webhook-id') === id, id);
    seen.holds('X-Service-Event names it', headers.get('x-service-event') === event, headers.get('x-service-event'));
    seen.holds('X-Service-Delivery-Id names the delivery', deliveryId !== '', deliveryId);
    seen.holds('created_at is a time', !Number.isNaN(Date.parse(textAt(envelope, 'created_at'))), envelope);
    seen.holds('sequence is a whole number', Number.isInteger(sequence), at(envelope, 'sequence'));
    const agent = headers.get('user-agent');
    seen.holds(`User-Agent is Waymark-Webhooks/${key.version}`, agent === `Waymark-Webhooks/${key.version}`, agent);
    seen.fact(`${id}, sequence ${sequence}`);
    return { event, deliveryId, sequence, data: at(envelope, 'data') };
  });
}

/** The numbers grow as things happened, and the log tells each delivery as a success. */
export async function checkDeliveryLog(
  arrived: readonly Arrived[],
  booked: Booked,
  key: OwnKey,
  { ask, steps, clock }: Scene,
): Promise<void> {
  await steps.run('sequence says in which order they happened', async (seen) => {
    const sequences = arrived.map(({ sequence }) => sequence);
    const grows = sequences.every((sequence, place) => place === 0 || sequence > (sequences[place - 1] ?? sequence));
    seen.holds(`it grows over ${arrived.map(({ event }) => event).join(', ')}`, grows, sequences);
    seen.fact(sequences.join(' < '));
  });
  await steps.run('the delivery log tells them as successes', async (seen) => {
    const path = `/api/webhooks/deliveries?booking_id=${booked.id}&limit=50`;
    const look = async (): Promise<readonly unknown[]> =>
      listAt(dataOf('the delivery log', await ask({ path, as: key.credential })), 'items');
    const all = (items: readonly unknown[]): boolean =>
      items.filter((item) => textAt(item, 'status') === 'success').length >= arrived.length;
    const items = await eventually(look, all, LISTED_WITHIN_MS, clock);
    for (const { event, deliveryId } of arrived) {
      const item = items.find((candidate) => textAt(candidate, 'delivery_id') === deliveryId);
      seen.matches(`the delivery of ${event}`, item, {
        event,
        status: 'success',
        booking_id: booked.id,
        next_attempt_at: null,
        'payload.event': event,
      });
      const attempts = listAt(item, 'attempts');
      seen.holds(
        `the last attempt at ${event} was answered 200`,
        numberAt(attempts.at(-1), 'response_code') === 200,
        attempts,
      );
    }
    seen.fact(`${items.length} deliveries`);
  });
}
