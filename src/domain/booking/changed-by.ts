import type { Recorded } from '../../eventsourcing/message.ts';
import { isOperatorId, type OperatorId } from '../ids.ts';
import type { BookingEvent, Changer } from './events.ts';

/** Who changed or ended a booking, as operators see it: an operator by id. */
export type NamedChanger = Changer | OperatorId;

/** Who rejected or cancelled a booking, and who modified it last; null: nobody. */
export type ChangedBy = { readonly cancelledBy: NamedChanger | null; readonly modifiedBy: NamedChanger | null };

/** `by` of a cause: the venue, by the link in its mail. */
export const BY_VENUE = 'venue';

export const CHANGED_BY_NOBODY: ChangedBy = { cancelledBy: null, modifiedBy: null };

/** The event names the kind of its actor; its cause names the operator. */
export function evolveChangedBy(changed: ChangedBy, event: Recorded<BookingEvent>): ChangedBy {
  switch (event.type) {
    case 'BookingRejected':
    case 'BookingCancelled':
      return { ...changed, cancelledBy: namedChanger(event.data.by, event.cause.by) };
    case 'BookingModified':
      return { ...changed, modifiedBy: namedChanger(event.data.by, event.cause.by) };
    default:
      return changed;
  }
}

/** @param causedBy `by` of the event's cause */
export function namedChanger(by: Changer, causedBy: string): NamedChanger {
  return by === 'operator' && isOperatorId(causedBy) ? causedBy : by;
}
