import { decodeEvent } from '../../src/domain/codecs.ts';
import { deliveryCodec } from '../../src/domain/delivery/decider.ts';
import type { DeliveryEvent } from '../../src/domain/delivery/delivery.ts';
import { endpointCodec } from '../../src/domain/endpoint/decider.ts';
import type { EndpointEvent } from '../../src/domain/endpoint/endpoint.ts';
import { DAY_MS } from '../../src/eventsourcing/durations.ts';
import { type Recorded, START } from '../../src/eventsourcing/message.ts';
import { NO_STREAM } from '../../src/ports/event-store.ts';
import { scheduleDeliveries } from '../../src/processes/schedule-deliveries/process-manager.ts';
import { seededIds } from './ids.ts';
import { openReceiver } from './receiver.ts';
import { SOME_CAUSE } from './recorded.ts';
import { type Credentials, type Service, withKey } from './service.ts';
import type { AnswerOf } from './service-answers.ts';

/** Resolves with the deliveries' events of a type once the log holds `count` of them. */
export async function deliveryEvents<Type extends DeliveryEvent['type']>(
  service: Service,
  type: Type,
  count: number,
): Promise<readonly Recorded<Extract<DeliveryEvent, { type: Type }>>[]> {
  const stopping = new AbortController();
  const found: Recorded<Extract<DeliveryEvent, { type: Type }>>[] = [];
  const { store } = service.node.stores;
  for await (const batch of store.subscribe({ after: START, categories: ['delivery'], signal: stopping.signal })) {
    for (const event of batch.events.map(decodeEvent)) {
      // The type determines the event.
      if (event?.type === type) found.push(event as (typeof found)[number]);
    }
    if (found.length >= count) stopping.abort();
  }
  return found;
}

/** Appends deliveries to the log, the events of each in one append. */
export async function storeDeliveries(
  service: Service,
  count: number,
  eventsOf: (copy: number) => readonly DeliveryEvent[],
): Promise<void> {
  const ids = seededIds();
  for (let copy = 0; copy < count; copy++) {
    const events = eventsOf(copy).map((event) => ({
      ...deliveryCodec.encode(event),
      id: ids.uuid(),
      cause: SOME_CAUSE,
    }));
    await service.node.stores.store.append(`delivery-dlv_${String(copy).padStart(24, '0')}`, NO_STREAM, events);
  }
}

/**
 * Resolves when everything that has happened so far was looked at and told: what is still not told then, never is. (A
 * booking of its own marks the end, and a stop stores the position of the first event that was not looked at.)
 */
export async function allTold(service: Service): Promise<void> {
  await using end = openReceiver();
  const { key } = await service.createKey({ webhook_url: end.url });
  const { headers } = await service.book({ activity_id: 'light-show' }, withKey(key));
  await end.arrived(1);
  do await service.restart();
  while ((await openSince(service)) < (headers.get('x-position') ?? ''));
  const scheduled = (await service.events()).filter(({ type }) => type === 'DeliveryScheduled.v1');
  await deliveryEvents(service, 'DeliverySucceeded', scheduled.length);
}

/** The position before which every event was looked at when the service stopped. */
async function openSince(service: Service): Promise<string> {
  const { data } = await service.get<AnswerOf<'get /api/ops/readers'>>('/api/ops/readers', service.analyst);
  return data.items.find(({ reader }) => reader === scheduleDeliveries.name)?.position ?? '';
}

/** The pauses between the attempts of a delivery, in ms. */
const PAUSES_MS = [5_000, 30_000, 120_000, 600_000, 3_600_000];

/** Books twice, five days apart, until the receiver, which fails, is suspended. @returns the event */
export async function suspendReceiver(service: Service, caller: Credentials) {
  for (const booking of [0, 1]) {
    await service.book({ booking_date: '2026-12-05' }, caller);
    for (const [attempt, pauseMs] of PAUSES_MS.entries()) {
      await deliveryEvents(service, 'AttemptFailed', booking * (PAUSES_MS.length + 1) + attempt + 1);
      service.clock.advance(pauseMs);
    }
    await deliveryEvents(service, 'DeliveryExhausted', booking + 1);
    service.clock.advance(5 * DAY_MS);
  }
  const [suspended] = await endpointEvents(service, 'EndpointSuspended', 1);
  if (suspended === undefined) throw new Error('the receiver is not suspended');
  return suspended;
}

/**
 * Resolves with the events of a type about receivers, once there are so many. The time moves on meanwhile, a second in each
 * turn of the event loop: what attempts came to is reported together.
 */
export async function endpointEvents<Type extends EndpointEvent['type']>(
  service: Service,
  type: Type,
  count: number,
): Promise<readonly Recorded<Extract<EndpointEvent, { type: Type }>>[]> {
  for (;;) {
    const events = (await service.events()).filter(({ stream }) => stream.startsWith(`${endpointCodec.category}-`));
    // The type determines the event.
    const found = events.map(decodeEvent).filter((event) => event?.type === type) as Recorded<
      Extract<EndpointEvent, { type: Type }>
    >[];
    if (found.length >= count) return found;
    service.clock.advance(1_000);
    await new Promise(setImmediate);
  }
}
