import { codec } from '../../eventsourcing/codec.ts';
import { accept, type Decider, type Decision, reject } from '../../eventsourcing/decider.ts';
import { unreachable } from '../../eventsourcing/message.ts';
import type { Delivery, DeliveryCommand, DeliveryEvent, DeliveryRejection, ResendRequestId } from './delivery.ts';
import { nextAttemptAtMs } from './schedule.ts';

type Answer = Decision<DeliveryEvent, DeliveryRejection>;
type Existing = Exclude<Delivery, { status: 'none' }>;
type Resending = Extract<DeliveryCommand, { type: 'Resend' | 'Recover' }>;
type Recording = Extract<DeliveryCommand, { type: 'RecordSuccess' | 'RecordFailure' }>;

export const deliveryDecider: Decider<DeliveryCommand, Delivery, DeliveryEvent, DeliveryRejection> = {
  initial: { status: 'none' },
  decide(command, delivery) {
    if (command.type === 'ScheduleDelivery') {
      // The id is made from the event and the endpoint: a second fan-out of the same event means the same delivery.
      return delivery.status === 'none' ? accept({ type: 'DeliveryScheduled', data: command.facts }) : accept();
    }
    if (delivery.status === 'none') return reject({ code: 'DELIVERY_NOT_FOUND' });
    switch (command.type) {
      case 'RecordSuccess':
      case 'RecordFailure':
        return delivery.status === 'open' ? record(command, delivery) : accept();
      case 'Resend':
      case 'Recover':
        return resend(command, delivery);
      case 'GiveUp':
        if (delivery.status !== 'open') return accept();
        return accept({ type: 'DeliveryExhausted', data: { reason: command.reason, at: command.at } });
      default:
        return unreachable(command);
    }
  },
  evolve(delivery, event) {
    switch (event.type) {
      case 'DeliveryScheduled':
        return { status: 'open', facts: event.data, attempts: 0, earlierAttempts: 0, requests: [] };
      case 'AttemptFailed':
        return { ...existing(delivery, event), attempts: event.data.attempt };
      case 'DeliverySucceeded':
        return { ...existing(delivery, event), status: 'succeeded', attempts: event.data.attempt };
      case 'DeliveryExhausted':
        return { ...existing(delivery, event), status: 'exhausted' };
      case 'ResendRequested':
        return resent(existing(delivery, event), event.data.request);
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
  ResendRequested: [],
});

/** An attempt counts once, in its turn; told late or again it changes nothing. */
function record(command: Recording, { attempts, earlierAttempts }: Existing): Answer {
  const { attempt, keyRevision, responseTimeMs, at } = command;
  if (attempt !== attempts + 1) return accept();
  if (command.type === 'RecordSuccess') {
    const { responseCode } = command;
    return accept({ type: 'DeliverySucceeded', data: { attempt, keyRevision, responseCode, responseTimeMs, at } });
  }
  const { responseCode, error } = command;
  const next = nextAttemptAtMs({ ...command, attempt: attempt - earlierAttempts });
  const failed: DeliveryEvent = {
    type: 'AttemptFailed',
    data: { attempt, keyRevision, responseCode, responseTimeMs, error, nextAttemptAtMs: next, at },
  };
  if (next !== null) return accept(failed);
  return accept<DeliveryEvent>(failed, { type: 'DeliveryExhausted', data: { reason: 'retries_used', at } });
}

/** Where the first attempt of a round is owed already, there is nothing to add. */
function resend({ type, request, at }: Resending, delivery: Existing): Answer {
  const { status, facts, attempts, earlierAttempts, requests } = delivery;
  if (requests.includes(request)) return accept();
  if (type === 'Recover' && status !== 'exhausted') return accept();
  if (status === 'open' && attempts === earlierAttempts) return accept();
  const { keyId, endpoint } = facts;
  return accept({ type: 'ResendRequested', data: { attempt: attempts + 1, keyId, endpoint, request, at } });
}

function resent(delivery: Existing, request: ResendRequestId): Existing {
  const { attempts, requests } = delivery;
  return { ...delivery, status: 'open', earlierAttempts: attempts, requests: [...requests, request] };
}

function existing(delivery: Delivery, event: DeliveryEvent): Existing {
  if (delivery.status === 'none') throw new Error(`${event.type} before DeliveryScheduled`);
  return delivery;
}
