import { dataOf } from './client.ts';
import type { AgentContext, Booked } from './context.ts';
import { listAt, textAt } from './json.ts';
import type { Received } from './receiver.ts';
import { pollUntil, StepFailed } from './step.ts';

/** From the event to the first attempt. */
const DELIVERED_WITHIN_MS = 15_000;
/** The delivery log follows within two seconds; a busy machine gets more. */
const LISTED_WITHIN_MS = 10_000;

/** Waits for an event, signed with the key's secret, about a booking. */
export async function awaitEvent(
  name: string,
  bookingId: string,
  { receiver, step, clock }: AgentContext,
): Promise<Received> {
  return step(`webhook ${name}`, async (check) => {
    const read = (): Received | undefined => receiver.received.find(({ event }) => event.event === name);
    const received = await pollUntil(read, (found) => found !== undefined, DELIVERED_WITHIN_MS, clock);
    if (received === undefined)
      throw new StepFailed('the receiver', `${name} with two valid signatures`, 'nothing in 15 s');
    check.matches(`${name}.data`, received.event.data, { booking_id: bookingId });
    check.fact(`${received.event.id}, sequence ${received.event.sequence}`);
    return received;
  });
}

/** Checks that the sequence numbers grow and that the delivery log reports each delivery as a success. */
export async function checkDeliveryLog(
  received: readonly Received[],
  booked: Booked,
  { agent, step, clock }: AgentContext,
): Promise<void> {
  await step('event sequence', async (check) => {
    const sequences = received.map(({ event }) => event.sequence);
    const grows = sequences.every((sequence, index) => index === 0 || sequence > Number(sequences[index - 1]));
    check.holds('it grows from event to event', grows, sequences);
    check.fact(sequences.join(' < '));
  });
  await step('delivery log', async (check) => {
    const path = `/api/webhooks/deliveries?booking_id=${booked.id}&limit=50`;
    const read = async (): Promise<readonly unknown[]> => listAt(dataOf(await agent.get(path)), 'items');
    const succeeded = (items: readonly unknown[], { deliveryId }: Received): boolean =>
      items.some((item) => textAt(item, 'delivery_id') === deliveryId && textAt(item, 'status') === 'success');
    const complete = (items: readonly unknown[]): boolean => received.every((each) => succeeded(items, each));
    const items = await pollUntil(read, complete, LISTED_WITHIN_MS, clock);
    for (const each of received)
      check.holds(`the delivery of ${each.event.event} is a success`, succeeded(items, each), items);
    check.fact(`${items.length} deliveries`);
  });
}
