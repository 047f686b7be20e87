import type { Position } from '../../eventsourcing/message.ts';
import type { DeliveryId } from './delivery.ts';
import type { Pool } from './pools.ts';

/** An attempt that is owed: the n-th of a delivery (from 1), in the lane of its receiver. */
export type AttemptCommand = {
  readonly delivery: DeliveryId;
  readonly attempt: number;
  readonly lane: string;
  /** Of the request that the public event goes back to. */
  readonly correlationId: string;
  /** The stored event that the attempt follows from. */
  readonly causationId: string;
};

/** A delivery that has not ended, and its next attempt. */
export type OpenDelivery = AttemptCommand & {
  /** The delivery's id. */
  readonly key: DeliveryId;
  /** When the attempt is due, ms since the epoch. */
  readonly place: number;
  readonly scheduledAt: Position;
  /** While the attempt is under way here, what it is counted in; `recorded` from its end until the event of that is folded. */
  readonly begun: Pool | 'recorded' | null;
};

/** The name under which an attempt is begun only once. */
export function attemptKey({ delivery, attempt }: Pick<AttemptCommand, 'delivery' | 'attempt'>): string {
  return `${delivery} ${attempt}`;
}
