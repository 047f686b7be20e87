import { UnknownEvent } from '../eventsourcing/codec.ts';
import { faultText, type LeftOut, MAX_PARKED, type ParkedItems } from '../eventsourcing/parked.ts';
import type { Projection } from '../eventsourcing/projection.ts';
import { pointerName } from './builds.ts';

/** Where the readers of the log record what they leave out (docs/decisions/0058). Every method throws StoreUnavailable. */
export type Parking = {
  /** The items of a reader, from the store. */
  load(reader: string): Promise<ParkedItems>;
  /** `full`: nothing was recorded, because MAX_PARKED items wait for an operator. */
  park(reader: string, leftOut: LeftOut): Promise<'parked' | 'full'>;
  /** Records that a retried item was read again, or that its reader reads it again after a restart. */
  resumed(reader: string, item: string): Promise<void>;
};

/** A fold threw: the same events will throw again. */
export class FoldFault extends Error {
  constructor(cause: unknown) {
    super(faultText(cause), { cause });
    this.name = 'FoldFault';
  }
}

/** A reader cannot leave out one more event. It stops, and tries again. */
export class ParkingFull extends Error {
  constructor(reader: string, cause: unknown) {
    super(
      `${MAX_PARKED} parked items of "${reader}" wait for an operator, and one more cannot be applied: ${faultText(cause)}`,
      { cause },
    );
    this.name = 'ParkingFull';
  }
}

/** The parking of a projection's version. Its live views share it: they fold the same events into the same documents. */
export function readerOf(projection: Projection<object>): string {
  return pointerName(projection);
}

/**
 * Whether an event is to blame for a fault: its fold failed, its data is damaged, or its document is too large for the store.
 * Every other fault may pass, such as an outage or an event of a newer release.
 */
export function isParkable(fault: unknown): boolean {
  if (fault instanceof UnknownEvent) return fault.fault !== null;
  return fault instanceof FoldFault || fault instanceof RangeError;
}

/** Runs a fold. @throws FoldFault */
export function folded<Result>(fold: () => Result): Result {
  try {
    return fold();
  } catch (fault) {
    throw new FoldFault(fault);
  }
}

/** Whether an item is left out: a retried one is read again. */
export function isLeftOut(items: ParkedItems, id: string): boolean {
  const status = items.get(id)?.status;
  return status !== undefined && status !== 'retried';
}
