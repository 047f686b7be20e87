import { codec } from '../../eventsourcing/codec.ts';
import { accept, type Decider, type Decision, reject } from '../../eventsourcing/decider.ts';
import { unreachable } from '../../eventsourcing/message.ts';
import { type LeftOut, MAX_PARKED, type ParkedItem, type ParkedItems } from '../../eventsourcing/parked.ts';

/** Who decided on a parked item, why and when (ISO 8601 UTC). */
type Decided = { readonly item: string; readonly by: string; readonly reason: string; readonly at: string };

type LeftOutOf<Kind extends LeftOut['kind']> = Omit<Extract<LeftOut, { kind: Kind }>, 'kind'>;

/** These types are the storage format. `item` is the id of an event, or the key of a command. */
export type ParkingEvent =
  | { readonly type: 'EventParked'; readonly data: LeftOutOf<'event'> & { readonly at: string } }
  | { readonly type: 'CommandParked'; readonly data: LeftOutOf<'command'> & { readonly at: string } }
  | { readonly type: 'ParkedRetried'; readonly data: Decided }
  | { readonly type: 'ParkedResumed'; readonly data: { readonly item: string; readonly at: string } }
  | { readonly type: 'ParkedSkipped'; readonly data: Decided };

export type ParkingCommand =
  | { readonly type: 'Park'; readonly leftOut: LeftOut; readonly at: string }
  | ({ readonly type: 'Retry' | 'Skip' } & Decided)
  /** A retried item was read again, or its reader will read it again after a restart. */
  | { readonly type: 'Resume'; readonly item: string; readonly at: string };

export type ParkingRejection = { readonly code: 'PARKING_FULL' } | { readonly code: 'NOT_PARKED' };

/**
 * What one reader of the log left out. One stream per reader: `reader-claim-reaper`, `reader-inventory.v2`. A new version of
 * a projection is another reader, so it tries every event anew.
 */
export const parkingDecider: Decider<ParkingCommand, ParkedItems, ParkingEvent, ParkingRejection> = {
  initial: new Map(),
  decide(command, items) {
    switch (command.type) {
      case 'Park':
        return park(command, items);
      case 'Retry':
      case 'Skip': {
        const { type, ...decided } = command;
        const status = items.get(command.item)?.status;
        if (status === undefined) return reject({ code: 'NOT_PARKED' });
        if (type === 'Skip') return status === 'skipped' ? accept() : accept({ type: 'ParkedSkipped', data: decided });
        return status === 'retried' ? accept() : accept({ type: 'ParkedRetried', data: decided });
      }
      case 'Resume': {
        const { type: _type, ...data } = command;
        return items.get(command.item)?.status === 'retried' ? accept({ type: 'ParkedResumed', data }) : accept();
      }
      default:
        return unreachable(command);
    }
  },
  evolve(items, event) {
    switch (event.type) {
      case 'EventParked':
        return withParked(items, 'event', event.data);
      case 'CommandParked':
        return withParked(items, 'command', event.data);
      case 'ParkedRetried':
      case 'ParkedSkipped': {
        const { item: id, ...decision } = event.data;
        const item = items.get(id);
        if (item === undefined) return items;
        return new Map(items).set(id, {
          ...item,
          status: event.type === 'ParkedRetried' ? 'retried' : 'skipped',
          decision,
        });
      }
      case 'ParkedResumed':
        return new Map([...items].filter(([id]) => id !== event.data.item));
      default:
        return unreachable(event);
    }
  },
};

export const parkingCodec = codec<ParkingEvent>('reader', {
  EventParked: [],
  CommandParked: [],
  ParkedRetried: [],
  ParkedResumed: [],
  ParkedSkipped: [],
});

/** Number of items that nobody has decided on. */
function undecided(items: ParkedItems): number {
  return [...items.values()].filter(({ status }) => status !== 'skipped').length;
}

function park(
  { leftOut, at }: Extract<ParkingCommand, { type: 'Park' }>,
  items: ParkedItems,
): Decision<ParkingEvent, ParkingRejection> {
  const known = items.get(leftOut.id);
  if (known !== undefined && known.status !== 'retried' && !openedAgain(leftOut, known)) return accept();
  if ((known === undefined || known.status === 'skipped') && undecided(items) >= MAX_PARKED)
    return reject({ code: 'PARKING_FULL' });
  if (leftOut.kind === 'event') {
    const { kind: _kind, ...facts } = leftOut;
    return accept({ type: 'EventParked', data: { ...facts, at } });
  }
  const { kind: _kind, ...facts } = leftOut;
  return accept({ type: 'CommandParked', data: { ...facts, at } });
}

/** Whether later events opened a command again that was parked before. */
function openedAgain(leftOut: LeftOut, known: ParkedItem): boolean {
  return leftOut.kind === 'command' && known.kind === 'command' && leftOut.upTo > known.upTo;
}

function withParked<Kind extends LeftOut['kind']>(
  items: ParkedItems,
  kind: Kind,
  { at, ...facts }: LeftOutOf<Kind> & { readonly at: string },
): ParkedItems {
  const rest = [...items].filter(([id]) => id !== facts.id);
  // `kind` names the type that `facts` has.
  const item = { ...facts, kind, status: 'parked', parkedAt: at, decision: null } as unknown as ParkedItem;
  return new Map([...rest, [facts.id, item]]);
}
