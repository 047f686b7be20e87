import { UnknownEvent } from '../eventsourcing/codec.ts';
import type { PositionForm } from '../eventsourcing/message.ts';
import { faultText, type LeftOut, MAX_PARKED, type ParkedItems } from '../eventsourcing/parked.ts';
import type { Projection } from '../eventsourcing/projection.ts';
import type { Log } from '../ports/log.ts';
import type { LeftOutEvents } from '../ports/log-follower.ts';
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
 * Whether an event is to blame for a fault: its fold failed, or its data is damaged. Every other fault may pass, such as an
 * outage or an event of a newer release.
 */
export function isParkable(fault: unknown): boolean {
  if (fault instanceof UnknownEvent) return fault.fault !== null;
  return fault instanceof FoldFault;
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

/** For a reader that may miss events: it ignores those that it cannot apply, and records nothing. */
export const IGNORED: LeftOutEvents = {
  load: () => Promise.resolve(),
  has: () => false,
  add: (_event, fault) => Promise.resolve(isParkable(fault)),
};

/** The events that a reader leaves out. `reader` names its parking, `positions` the form in which positions are stored. */
export function leftOutEvents(
  reader: string,
  { parking, positions, log }: { readonly parking: Parking; readonly positions: PositionForm; readonly log: Log },
): LeftOutEvents {
  let items: ParkedItems = new Map();
  return {
    async load() {
      items = await parking.load(reader);
    },
    has: (id) => isLeftOut(items, id),
    async add({ id, stream, revision, position, type }, fault, after) {
      if (!isParkable(fault)) return false;
      const cause = fault instanceof FoldFault ? fault.cause : fault;
      const event = { id, stream, revision, position: positions.format(position), type };
      const leftOut = { kind: 'event', ...event, after: positions.format(after), fault: faultText(cause) } as const;
      if ((await parking.park(reader, leftOut)) === 'full') throw new ParkingFull(reader, cause);
      items = await parking.load(reader);
      log.error('event parked: the reader goes on without it', { reader, ...event, fault: cause });
      return true;
    },
  };
}
