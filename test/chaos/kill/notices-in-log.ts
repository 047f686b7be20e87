import type { BookingEvent, EventData } from '../../../src/domain/booking/events.ts';
import type { BookingId } from '../../../src/domain/ids.ts';
import type { Position, Recorded } from '../../../src/eventsourcing/message.ts';

/** The mail of one notice to a guest. A newer one, a voucher or an erasure makes it pointless. */
export type NoticeInLog = {
  readonly booking: BookingId;
  readonly issuedAt: Position;
  pointlessSince: Position | null;
  readonly sent: (EventData<'NoticeMailed'> & { readonly position: Position })[];
  readonly failed: (EventData<'NoticeMailFailed'> & { readonly position: Position })[];
};

type Followed = { version: number; pending: boolean; present: NoticeInLog | null };

/** The beginning of a notice's Message-ID. */
export function noticeKey(booking: string, kind: string, version: number): string {
  return `${booking}.${kind}.${version}`;
}

const COUNTED = ['BookingPlacedOnRequest', 'BookingConfirmed', 'BookingRejected', 'BookingCancelled'];
const COUNTED_TOO = ['BookingStarted', 'VisitVerified', 'VisitVoided', 'GuestErased'];

/** The notices that guests must get, folded without the decider and the process manager. */
export class NoticeReader {
  readonly notices = new Map<string, NoticeInLog>();
  readonly #bookings = new Map<BookingId, Followed>();

  /** @returns faults */
  read(booking: BookingId, event: Recorded<BookingEvent>): readonly string[] {
    const followed = this.#bookings.get(booking) ?? { version: 0, pending: false, present: null };
    this.#bookings.set(booking, followed);
    const { type, data, position } = event;
    if (COUNTED.includes(type) || COUNTED_TOO.includes(type)) followed.version++;
    if (type === 'BookingModified') followed.version = data.version;
    const wasPending = followed.pending;
    if (COUNTED.includes(type)) followed.pending = type === 'BookingPlacedOnRequest';
    const kind = kindOf(type, wasPending);
    if (followed.present !== null && (kind !== null || type === 'BookingConfirmed' || type === 'GuestErased'))
      followed.present.pointlessSince ??= position;
    if (kind !== null) {
      followed.present = { booking, issuedAt: position, pointlessSince: null, sent: [], failed: [] };
      this.notices.set(noticeKey(booking, kind, followed.version), followed.present);
    }
    return type === 'NoticeMailed' || type === 'NoticeMailFailed' ? this.#attempt(booking, event) : [];
  }

  #attempt(booking: BookingId, { type, data, position }: Recorded<BookingEvent>): readonly string[] {
    if (type !== 'NoticeMailed' && type !== 'NoticeMailFailed') return [];
    if (data.kind === 'venue_request') return [];
    const key = noticeKey(booking, data.kind, data.version);
    const notice = this.notices.get(key);
    if (notice === undefined) return [`${key} is on record, and nothing called for it`];
    if (type === 'NoticeMailed') {
      notice.sent.push({ ...data, position });
      const replaced = notice.pointlessSince !== null;
      return data.replaced === replaced ? [] : [`${key} is on record as ${data.replaced ? 'replaced' : 'present'}`];
    }
    notice.failed.push({ ...data, position });
    if (data.retryAtMs === null) notice.pointlessSince ??= position;
    return [];
  }
}

function kindOf(type: BookingEvent['type'], wasPending: boolean): 'pending' | 'rejected' | 'cancelled' | null {
  if (type === 'BookingPlacedOnRequest' || (type === 'BookingModified' && wasPending)) return 'pending';
  if (type === 'BookingRejected' && wasPending) return 'rejected';
  return type === 'BookingCancelled' ? 'cancelled' : null;
}
