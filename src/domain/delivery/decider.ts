import { codec } from '../../eventsourcing/codec.ts';
import { accept, type Decider, type Decision, reject } from '../../eventsourcing/decider.ts';
import { unreachable } from '../../eventsourcing/message.ts';
import type { Delivery, DeliveryCommand, DeliveryEvent, DeliveryRejection } from './delivery.ts';
import { nextAttemptAtMs } from './schedule.ts';

type Answer = Decision<DeliveryEvent, DeliveryRejection>;
type Existing = Exclude<Delivery, { status: 'none' }>;
type Recording = Extract<DeliveryCommand, { type: 'RecordSuccess' | 'RecordFailure' }>;

export const deliveryDecider: Decider<DeliveryCommand, Delivery, DeliveryEvent, DeliveryRejection> = {
  initial: { status: 'none' },
  decide(command, delivery) {
    if (command.type === 'ScheduleDelivery') {
      // The id is made from the event and the endpoint: a second fan-out of the same event means the same delivery.
      return delivery.status === 'none' ? accept({ type: 'DeliveryScheduled', data: command.facts }) : accept();
    }
    if (delivery.status === 'none') return reject({ code: 'DELIVERY_NOT_FOUND' });
    if (delivery.status !== 'open') return accept();
    switch (command.type) {
      case 'RecordSuccess':
      case 'RecordFailure':
        return record(command, delivery);
      case 'GiveUp':
        return accept({ type: 'DeliveryExhausted', data: { reason: command.reason, at: command.at } });
      default:
        return unreachable(command);
    }
  },
  evolve(delivery, event) {
    switch (event.type) {
      case 'DeliveryScheduled':
        return { status: 'open', facts: event.data, attempts: 0 };
      case 'AttemptFailed':
        return { ...existing(delivery, event), attempts: event.data.attempt };
      case 'DeliverySucceeded':
        return { ...existing(delivery, event), status: 'succeeded', attempts: event.data.attempt };
      case 'DeliveryExhausted':
        return { ...existing(delivery, event), status: 'exhausted' };
      default:
        return unreachable(event);
    }
  },
};

export const deliveryCodec = codec<DeliveryEvent>('delivery', {
  DeliveryScheduled: [],
  AttemptFailed: [],
  DeliverySucceeded: [],
  DeliveryExhausted: [],
});

/** An attempt counts once, in its turn; told late or again it changes nothing. */
function record(command: Recording, { attempts }: Existing): Answer {
  const { attempt, keyRevision, responseTimeMs, at } = command;
  if (attempt !== attempts + 1) return accept();
  if (command.type === 'RecordSuccess') {
    const { responseCode } = command;
    return accept({ type: 'DeliverySucceeded', data: { attempt, keyRevision, responseCode, responseTimeMs, at } });
  }
  const { responseCode, error } = command;
  const next = nextAttemptAtMs(command);
  const failed: DeliveryEvent = {
    type: 'AttemptFailed',
    data: { attempt, keyRevision, responseCode, responseTimeMs, error, nextAttemptAtMs: next, at },
  };
  if (next !== null) return accept(failed);
  return accept<DeliveryEvent>(failed, { type: 'DeliveryExhausted', data: { reason: 'retries_used', at } });
}

function existing(delivery: Delivery, event: DeliveryEvent): Existing {
  if (delivery.status === 'none') throw new Error(`${event.type} before DeliveryScheduled`);
  return delivery;
}
