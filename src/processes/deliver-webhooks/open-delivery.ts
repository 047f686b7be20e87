import type { DeliveryId } from '../../domain/delivery/delivery.ts';
import type { Position } from '../../eventsourcing/message.ts';
import type { Bulkhead } from './bulkheads.ts';

/** A pending attempt: the n-th of a delivery (from 1). */
export type AttemptCommand = {
  readonly delivery: DeliveryId;
  readonly attempt: number;
  /** `EndpointQueue.queueKey` of the receiver. */
  readonly queueKey: string;
  /** Of the request that caused the public event. */
  readonly correlationId: string;
  /** The stored event that caused the attempt. */
  readonly causationId: string;
};

/** An open delivery and its next attempt. */
export type OpenDelivery = AttemptCommand & {
  /** When the attempt is due, ms since the epoch. */
  readonly dueMs: number;
  /** Of the event that scheduled it. */
  readonly position: Position;
  /** The bulkhead of the attempt in flight on this node; `recorded` from its end until its event is folded; else null. */
  readonly inFlight: Bulkhead | 'recorded' | null;
};

/** Commands with the same key do not run at the same time. */
export function attemptKey({ delivery, attempt }: Pick<AttemptCommand, 'delivery' | 'attempt'>): string {
  return `${delivery} ${attempt}`;
}
