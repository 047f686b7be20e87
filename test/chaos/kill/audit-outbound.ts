import type { BookingId } from '../../../src/domain/ids.ts';
import type { Position } from '../../../src/eventsourcing/message.ts';
import type { History } from './history.ts';
import type { AcceptedMail, Mailbox, MailPeer } from './mail-peer.ts';
import type { NoticeInLog } from './notices-in-log.ts';
import { type DeliveryInLog, eventKey, type MailInLog, mailKey, type Outbound, type PublicInLog } from './outbound.ts';
import type { Heard, WebhookPeer } from './webhook-peer.ts';

/** The mails and webhooks that the peers received. */
export type Peers = {
  readonly mail: Pick<MailPeer, 'mailboxes'>;
  readonly webhook: Pick<WebhookPeer, 'heard'>;
};

/**
 * What the peers received and the log does not record, because the service died before: the number of copies of each
 * booking's mail, and of attempts of each delivery.
 */
export type Unrecorded = {
  readonly mails: ReadonlyMap<string, number>;
  readonly attempts: ReadonlyMap<string, number>;
};

const ACKNOWLEDGED = 200;
const REFUSED = 500;

/**
 * Invariants between the log, the mail server and the receiver: nothing is recorded that did not happen, and repetitions are
 * equal. Returns the faults as text.
 */
export function auditOutbound(history: History, outbound: Outbound, peers: Peers): string[] {
  return [
    ...outbound.faults,
    ...auditMails(history, outbound, peers.mail),
    ...auditScheduled(outbound),
    ...auditHeard(outbound, peers.webhook),
    ...auditCheckpoints(outbound),
  ];
}

/** Checks that nothing is pending: every mail and every event arrived, and the log records it. */
export function auditAllOut(history: History, outbound: Outbound): string[] {
  const faults: string[] = [];
  for (const [id, { vouchers }] of history.bookings)
    for (const issue of vouchers.keys()) {
      const mail = outbound.mails.get(mailKey(id, issue + 1));
      const sent = mail?.sent.length ?? 0;
      if (sent !== 1 && !(sent === 0 && mail?.pointlessSince !== null))
        faults.push(`${id} has ${sent} mails of its voucher ${issue + 1} on record`);
    }
  const succeeded = new Set<string>();
  for (const [id, { facts, ended }] of outbound.deliveries) {
    if (ended?.as === 'succeeded') succeeded.add(eventKey(facts.bookingId, facts.bookingRevision));
    else faults.push(`${id} of ${facts.event} is ${ended?.as ?? 'open'}`);
  }
  for (const [key, { event, booking }] of outbound.events)
    if (!succeeded.has(key)) faults.push(`${event} of ${booking} never arrived`);
  return faults;
}

export function unrecorded(
  history: History,
  { mails, notices, deliveries }: Outbound,
  { mail, webhook }: Peers,
): Unrecorded {
  const came = noticeCopies(mail.mailboxes);
  const ofNotices = [...notices].map(([key, { sent }]): [string, number] => [
    key,
    (came.get(key)?.length ?? 0) - sent.length,
  ]);
  const copies = [...mails].flatMap(([key, { booking, issue, sent, pointlessSince }]): [string, number][] => {
    // A delivery in flight when it was abandoned is not recorded.
    if (pointlessSince !== null) return [];
    const mailbox = mail.mailboxes.get(emailOf(booking, issue, history));
    return [[key, copiesOf(key, mailbox).length - sent.length]];
  });
  const attempts = [...webhook.heard.values()].map(({ deliveryId, arrivals }): [string, number] => {
    return [deliveryId, arrivals - (deliveries.get(deliveryId)?.answers.length ?? 0)];
  });
  return { mails: new Map([...copies, ...ofNotices]), attempts: new Map(attempts) };
}

/** The recipient of a voucher's mail: the guest's record at its issue. */
function emailOf(booking: BookingId, issue: number, { bookings, guests }: History): string {
  return guests.get(bookings.get(booking)?.vouchers[issue - 1]?.record ?? '')?.email ?? '';
}

function copiesOf(key: string, mailbox: Mailbox | undefined): readonly AcceptedMail[] {
  return (mailbox?.accepted ?? []).filter(({ messageId }) => isOf(messageId, key));
}

function isOf(messageId: string, key: string): boolean {
  return messageId.startsWith(`<${key}@`);
}

/** The accepted copies of notices, by booking, kind and version. */
function noticeCopies(mailboxes: Peers['mail']['mailboxes']): ReadonlyMap<string, readonly AcceptedMail[]> {
  const accepted = [...mailboxes.values()].flatMap((mailbox) => mailbox.accepted);
  return Map.groupBy(accepted, ({ messageId }) => messageId.slice(1, messageId.indexOf('@')));
}

function auditNotices({ notices }: Outbound, { mailboxes }: Peers['mail']): string[] {
  const faults: string[] = [];
  const came = noticeCopies(mailboxes);
  for (const [key, { sent }] of notices) {
    if (sent.length > 1) faults.push(`${key} has ${sent.length} mails on record`);
    for (const { providerId } of sent)
      if (!came.get(key)?.some(({ acknowledged, queuedAs }) => acknowledged && queuedAs === providerId))
        faults.push(`${key} is on record as mailed, and the mail server did not say so`);
  }
  return faults;
}

function auditMails(history: History, outbound: Outbound, { mailboxes }: Peers['mail']): string[] {
  const { mails, notices } = outbound;
  const faults = auditNotices(outbound, { mailboxes });
  const isNotice = (messageId: string): boolean => notices.has(messageId.slice(1, messageId.indexOf('@')));
  const owned = new Map<string, string[]>();
  for (const [key, mail] of mails) {
    const { booking, issue } = mail;
    const email = emailOf(booking, issue, history);
    owned.set(email, [...(owned.get(email) ?? []), key]);
    const [voucher] = history.bookings.get(booking)?.vouchers ?? [];
    faults.push(...auditMail(key, { code: voucher?.code ?? null, mail, mailbox: mailboxes.get(email) }));
  }
  for (const [reader, { messageIds }] of mailboxes) {
    const keys = owned.get(reader);
    const others = [...messageIds].filter((messageId) => !isNotice(messageId));
    if (keys === undefined && others.length > 0) faults.push(`a mail came for ${reader}, who booked nothing`);
    for (const messageId of keys === undefined ? [] : others)
      if (!keys?.some((key) => isOf(messageId, key)))
        faults.push(`${messageId} came for ${reader}, and is of no voucher`);
  }
  return faults;
}

type Mailing = { readonly code: string | null; readonly mail: MailInLog; readonly mailbox: Mailbox | undefined };

function auditMail(key: string, { code, mail, mailbox }: Mailing): string[] {
  const faults: string[] = [];
  const { sent, failed } = mail;
  const [recorded] = sent;
  if (sent.length > 1) faults.push(`${key} has ${sent.length} mails on record`);
  const noted = [...sent, ...failed].map(({ messageId }) => messageId);
  const came = [...(mailbox?.messageIds ?? [])].filter((messageId) => isOf(messageId, key));
  const messageIds = new Set([...came, ...noted]);
  if (messageIds.size > 1) faults.push(`${key} was mailed as ${[...messageIds].join(' and ')}`);
  const accepted = copiesOf(key, mailbox);
  if (
    recorded !== undefined &&
    !accepted.some(({ acknowledged, queuedAs }) => acknowledged && queuedAs === recorded.providerId)
  )
    faults.push(`${key} is on record as mailed, and the mail server did not say so`);
  for (const { messageId, text } of accepted)
    if (code === null || !text.includes(code)) faults.push(`${messageId} is not the voucher of ${key}`);
  return faults;
}

/** Checks that each delivery belongs to an event, and each event has one delivery. */
function auditScheduled({ events, deliveries }: Outbound): string[] {
  const faults: string[] = [];
  const scheduled = new Map<string, string>();
  const eventIds = new Map<string, string>();
  for (const [id, { facts }] of deliveries) {
    const key = eventKey(facts.bookingId, facts.bookingRevision);
    if (events.get(key)?.event !== facts.event) faults.push(`${id} is of a ${facts.event} that did not happen`);
    const other = scheduled.get(key);
    if (other !== undefined) faults.push(`${facts.event} of ${facts.bookingId} is both ${other} and ${id}`);
    scheduled.set(key, id);
    const namesake = eventIds.get(facts.eventId);
    if (namesake !== undefined) faults.push(`${namesake} and ${id} are both of ${facts.eventId}`);
    eventIds.set(facts.eventId, id);
  }
  return faults;
}

function auditHeard({ deliveries }: Outbound, { heard }: Peers['webhook']): string[] {
  const faults: string[] = [];
  for (const [id, delivery] of deliveries) faults.push(...auditDelivery(id, delivery, heard.get(id)));
  for (const [id, { event, bookingId }] of heard)
    if (!deliveries.has(id)) faults.push(`${id} came, a ${event} of ${bookingId} that nobody scheduled`);
  return faults;
}

function auditDelivery(id: string, { facts, answers }: DeliveryInLog, heard: Heard | undefined): string[] {
  const faults: string[] = [];
  const happened = heard ?? { arrivals: 0, acknowledged: 0, refused: 0 };
  const recorded = (code: number): number => answers.filter((answer) => answer === code).length;
  if (recorded(ACKNOWLEDGED) > happened.acknowledged)
    faults.push(`${id} is on record as acknowledged, and the receiver did not say so`);
  if (recorded(REFUSED) > happened.refused)
    faults.push(`${id} is on record as refused, and the receiver did not say so`);
  if (answers.length > happened.arrivals)
    faults.push(`${id} has ${answers.length} attempts on record, and came ${happened.arrivals} times`);
  const others = answers.filter((answer) => answer !== null && answer !== ACKNOWLEDGED && answer !== REFUSED);
  if (others.length > 0) faults.push(`${id} is on record as answered ${others.join()}`);
  if (heard === undefined) return faults;
  const { eventId, event, bookingId, sequence } = heard;
  const received = { eventId, event, bookingId, sequence };
  const inLog = {
    eventId: facts.eventId,
    event: facts.event,
    bookingId: facts.bookingId,
    sequence: facts.bookingRevision + 1,
  };
  if (!Bun.deepEquals(received, inLog))
    faults.push(`${id} came as ${JSON.stringify(received)}, and the log has ${JSON.stringify(inLog)}`);
  return faults;
}

/** Checks that no checkpoint passes work that was pending when it was stored: a restart would lose that work. */
function auditCheckpoints({ checkpoints, events, mails, notices, deliveries }: Outbound): string[] {
  const faults: string[] = [];
  const scheduledAt = new Map(
    [...deliveries.values()].map(({ facts, scheduledAt: at }) => [
      eventKey(facts.bookingId, facts.bookingRevision),
      at,
    ]),
  );
  for (const { manager, storedAt, upTo } of checkpoints) {
    const open = (started: Position, done: Position | undefined): boolean =>
      started <= upTo && (done === undefined || done > storedAt);
    const forgotten = (what: string): void =>
      void faults.push(`the checkpoint of ${manager} at ${storedAt} has passed ${what}`);
    if (manager === 'webhook-fan-out')
      for (const [key, event] of events) if (open(event.position, scheduledAt.get(key))) forgotten(nameOf(event));
    if (manager === 'webhook-deliverer')
      for (const [id, delivery] of deliveries) if (open(delivery.scheduledAt, delivery.ended?.position)) forgotten(id);
    if (manager === 'voucher-mailer')
      for (const [id, mail] of mails)
        if (open(owedSince(mail, storedAt), settledAt(mail))) forgotten(`the mail of ${id}`);
    if (manager === 'voucher-mailer')
      for (const [id, notice] of notices)
        if (open(owedSince(notice, storedAt), settledAt(notice))) forgotten(`the notice ${id}`);
  }
  return faults;
}

/** Position of the last event before a checkpoint that made the mail pending: its issue, or a failed attempt. */
function owedSince({ issuedAt, failed }: MailInLog | NoticeInLog, storedAt: Position): Position {
  return failed.findLast(({ position }) => position < storedAt)?.position ?? issuedAt;
}

/** Where it was sent or no longer due. A mail that is being sent while its booking is cancelled is recorded after that. */
function settledAt({ sent, pointlessSince }: MailInLog | NoticeInLog): Position | undefined {
  const ends = [sent[0]?.position, pointlessSince].filter((end) => end !== null && end !== undefined);
  return ends.toSorted((one, other) => one - other)[0];
}

function nameOf({ event, booking }: PublicInLog): string {
  return `${event} of ${booking}`;
}
