import { codec, type Upcaster } from '../../eventsourcing/codec.ts';
import { accept, type Decider, type Decision, reject } from '../../eventsourcing/decider.ts';
import { unreachable } from '../../eventsourcing/message.ts';
import type {
  Delivery,
  DeliveryCommand,
  DeliveryEvent,
  DeliveryFacts,
  DeliveryRejection,
  ResendRequestId,
} from './delivery.ts';
import { nextAttemptAtMs } from './schedule.ts';

type Decided = Decision<DeliveryEvent, DeliveryRejection>;
type Existing = Extract<Delivery, { readonly facts: DeliveryFacts }>;
type First = Extract<DeliveryCommand, { readonly facts: object }>;
type Resending = Extract<DeliveryCommand, { type: 'Resend' | 'Recover' }>;
type Recording = Extract<DeliveryCommand, { type: 'RecordSuccess' | 'RecordFailure' }>;

export const deliveryDecider: Decider<DeliveryCommand, Delivery, DeliveryEvent, DeliveryRejection> = {
  initial: { status: 'none' },
  decide(command, delivery) {
    if (isFirst(command)) return delivery.status === 'none' ? accept(firstEvent(command)) : accept();
    if (!isExisting(delivery)) return reject({ code: 'DELIVERY_NOT_FOUND' });
    switch (command.type) {
      case 'RecordSuccess':
      case 'RecordFailure':
        return delivery.status === 'open' ? record(command, delivery) : accept();
      case 'Resend':
      case 'Recover':
        return resend(command, delivery);
      case 'StopAttempts':
        if (delivery.status !== 'open') return accept();
        return accept({ type: 'DeliveryExhausted', data: { reason: command.reason, at: command.at } });
      default:
        return unreachable(command);
    }
  },
  evolve(delivery, event) {
    // Delivery events expire one by one, so the first event of an old delivery may be gone (docs/decisions/0025).
    if (delivery.status === 'none' && !isBeginning(event)) return delivery;
    switch (event.type) {
      case 'DeliveryOmitted':
        return { status: 'omitted' };
      case 'TestAttempted':
        return { status: 'tested' };
      case 'DeliveryScheduled':
      case 'ReplayScheduled':
        return { status: 'open', facts: event.data, attempts: 0, earlierAttempts: 0, requests: [] };
      case 'AttemptFailed':
        return { ...existing(delivery, event), attempts: event.data.attempt };
      case 'DeliverySucceeded':
        return { ...existing(delivery, event), status: 'succeeded', attempts: event.data.attempt };
      case 'DeliveryExhausted':
        return { ...existing(delivery, event), status: 'exhausted' };
      case 'ResendRequested':
        return applyResend(existing(delivery, event), event.data.request);
      default:
        return unreachable(event);
    }
  },
};

export const deliveryCodec = codec<DeliveryEvent>('delivery', {
  DeliveryScheduled: [],
  DeliveryOmitted: [],
  ReplayScheduled: [],
  AttemptFailed: [endpointUnknown],
  DeliverySucceeded: [endpointUnknown],
  DeliveryExhausted: [],
  ResendRequested: [],
  TestAttempted: [],
});

/** The delivery id is made from event, endpoint and replay, or is new: a second such command means the same delivery. */
function isFirst(command: DeliveryCommand): command is First {
  return 'facts' in command;
}

function firstEvent(command: First): DeliveryEvent {
  switch (command.type) {
    case 'ScheduleDelivery':
      return { type: 'DeliveryScheduled', data: command.facts };
    case 'OmitDelivery':
      return { type: 'DeliveryOmitted', data: command.facts };
    case 'ScheduleReplay':
      return { type: 'ReplayScheduled', data: { ...command.facts, replay: command.replay } };
    case 'RecordTest':
      return { type: 'TestAttempted', data: command.facts };
    default:
      return unreachable(command);
  }
}

/** Each attempt is recorded once and in order; late or repeated reports change nothing. */
function record(command: Recording, { attempts, earlierAttempts }: Existing): Decided {
  const { attempt, keyRevision, endpointId, responseTimeMs, at } = command;
  if (attempt !== attempts + 1) return accept();
  if (command.type === 'RecordSuccess') {
    const { responseCode } = command;
    return accept({
      type: 'DeliverySucceeded',
      data: { attempt, keyRevision, endpointId, responseCode, responseTimeMs, at },
    });
  }
  const { responseCode, error } = command;
  const next = nextAttemptAtMs({ ...command, attempt: attempt - earlierAttempts });
  const failed: DeliveryEvent = {
    type: 'AttemptFailed',
    data: { attempt, keyRevision, endpointId, responseCode, responseTimeMs, error, nextAttemptAtMs: next, at },
  };
  if (next !== null) return accept(failed);
  return accept<DeliveryEvent>(failed, { type: 'DeliveryExhausted', data: { reason: 'retries_used', at } });
}

/** Adds nothing if the first attempt of a round is still pending. */
function resend({ type, request, at }: Resending, delivery: Existing): Decided {
  const { status, facts, attempts, earlierAttempts, requests } = delivery;
  if (requests.includes(request)) return accept();
  if (type === 'Recover' && status !== 'exhausted') return accept();
  if (status === 'open' && attempts === earlierAttempts) return accept();
  const { keyId, endpoint } = facts;
  return accept({ type: 'ResendRequested', data: { attempt: attempts + 1, keyId, endpoint, request, at } });
}

function applyResend(delivery: Existing, request: ResendRequestId): Existing {
  const { attempts, requests } = delivery;
  return { ...delivery, status: 'open', earlierAttempts: attempts, requests: [...requests, request] };
}

function isBeginning({ type }: DeliveryEvent): boolean {
  return ['DeliveryScheduled', 'DeliveryOmitted', 'ReplayScheduled', 'TestAttempted'].includes(type);
}

function existing(delivery: Delivery, event: DeliveryEvent): Existing {
  if (!isExisting(delivery)) throw new Error(`${event.type} before DeliveryScheduled`);
  return delivery;
}

/** An omitted delivery and a test have no further attempts. */
function isExisting(delivery: Delivery): delivery is Existing {
  return 'facts' in delivery;
}

/** Version 1 named only the key's revision. */
function endpointUnknown(facts: Parameters<Upcaster>[0]): ReturnType<Upcaster> {
  return { ...facts, endpointId: null };
}
