import { accept } from '../../eventsourcing/decider.ts';
import type { BookingCommandOf, BookingDecision } from './commands.ts';
import type { BookingEvent, EventData, NoticeAudience, NoticeKind, NoticeRef } from './events.ts';
import { withMail } from './mail-bounds.ts';
import type { ExistingBooking, Notice } from './state.ts';

type Notices = ExistingBooking['notices'];

export const NO_NOTICES: Notices = { guest: null, venue: null };

export function audienceOf(kind: NoticeKind): NoticeAudience {
  return kind === 'venue_request' ? 'venue' : 'guest';
}

/** The notices of a pending booking's version: the guest and the venue learn what was asked. */
export function requested(version: number): Notices {
  return {
    guest: { kind: 'pending', version, status: 'unsent' },
    venue: { kind: 'venue_request', version, status: 'unsent' },
  };
}

/** When a pending booking's present request was made, ms since the epoch. */
export function requestedAtMs({ facts, version, modifications }: ExistingBooking): number {
  const change = [...modifications.values()].find((each) => each.version === version);
  return Date.parse(change?.at ?? facts.at);
}

/** The guest learns how the booking ended. From here on the venue has nothing to answer. */
export function ended(kind: 'rejected' | 'cancelled', version: number): Notices {
  return { guest: { kind, version, status: 'unsent' }, venue: null };
}

/** A sent notice stays sent, and each attempt is recorded once. A failed notice that was replaced is ignored. */
export function recordNotice(
  command: BookingCommandOf<'RecordNoticeMailed' | 'RecordNoticeMailFailed'>,
  { notices, sentMails }: ExistingBooking,
): BookingDecision {
  const { kind, version, messageId, at } = command;
  const present = presentNotice(notices, command);
  if (command.type === 'RecordNoticeMailed') {
    if (present?.status === 'sent') return accept();
    const counted = sentMails.last.some((sent) => sent.of === 'notice' && sent.issue === version);
    // Only the mails to the guest have bounds in the booking.
    if (present === null && (counted || audienceOf(kind) === 'venue')) return accept();
    const { providerId, recipient } = command;
    const data = { kind, version, replaced: present === null, messageId, providerId, recipient, at };
    return accept<BookingEvent>({ type: 'NoticeMailed', data });
  }
  const { attempt, reason, retryAtMs } = command;
  if (present === null || present.status === 'sent') return accept();
  if (present.status === 'failing' && attempt <= present.attempts) return accept();
  return accept<BookingEvent>({
    type: 'NoticeMailFailed',
    data: { kind, version, messageId, attempt, reason, retryAtMs, at },
  });
}

export function withNoticeMailed(booking: ExistingBooking, data: EventData<'NoticeMailed'>): ExistingBooking {
  const { kind, version, replaced, messageId, recipient, at } = data;
  const sentMails =
    audienceOf(kind) === 'guest'
      ? withMail(booking.sentMails, { of: 'notice', issue: version, recipient, at })
      : booking.sentMails;
  if (replaced) return { ...booking, sentMails };
  return { ...withNotice(booking, { kind, version, status: 'sent', messageId, at }), sentMails };
}

export function withNoticeMailFailed(booking: ExistingBooking, data: EventData<'NoticeMailFailed'>): ExistingBooking {
  const { kind, version, messageId, attempt: attempts, reason, retryAtMs } = data;
  return withNotice(booking, { kind, version, status: 'failing', messageId, attempts, reason, retryAtMs });
}

function withNotice(booking: ExistingBooking, notice: Notice): ExistingBooking {
  return { ...booking, notices: { ...booking.notices, [audienceOf(notice.kind)]: notice } };
}

function presentNotice(notices: Notices, { kind, version }: NoticeRef): Notice | null {
  const notice = notices[audienceOf(kind)];
  return notice?.kind === kind && notice.version === version ? notice : null;
}
