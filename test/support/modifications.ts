import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BookingCommand, BookingRejection } from '../../src/domain/booking/commands.ts';
import { bookingId, commandId, fingerprint } from './examples.ts';
import { headOf } from './log-of-service.ts';
import { SOME_CAUSE } from './recorded.ts';
import type { Credentials, Service } from './service.ts';
import type { Answer, AnswerOf, Booking, WithVoucher } from './service-answers.ts';

type ModifyAnswer = AnswerOf<'post /api/b2a/bookings/:booking_id/modify'>;
export type ModificationQuote = Extract<ModifyAnswer, { readonly dry_run: true }>;
export type Modified = WithVoucher<Exclude<ModifyAnswer, ModificationQuote>>;

/** Requests a change of a booking, with the service's key and further headers. */
export function modify(
  service: Service,
  { booking_id: id }: Pick<Booking, 'booking_id'>,
  body: object,
  headers: Credentials = {},
): Promise<Answer<Modified>> {
  return service.post(`/api/b2a/bookings/${id}/modify`, body, { ...service.key, ...headers });
}

export function quote(
  service: Service,
  { booking_id: id }: Pick<Booking, 'booking_id'>,
  body: object,
  headers: Credentials = {},
): Promise<Answer<ModificationQuote>> {
  const asked = { ...body, dry_run: true };
  return service.post(`/api/b2a/bookings/${id}/modify`, asked, { ...service.key, ...headers });
}

/** Sends a command to a booking's stream. @returns the rejection; null if accepted */
export async function command(service: Service, id: string, sent: BookingCommand): Promise<BookingRejection | null> {
  const deadlineMs = service.clock.nowMs() + 10_000;
  const reply = await service.node.context.streams.bookings.handle(bookingId(id), sent, SOME_CAUSE, deadlineMs);
  if (reply.kind === 'rejected') return reply.rejection;
  if (reply.kind !== 'accepted') throw new Error(`${id} answered ${reply.kind}`);
  return null;
}

/** A cancellation by the guests, now. */
export function cancelled({ clock }: Service): BookingCommand {
  const nowMs = clock.nowMs();
  const at = new Date(nowMs).toISOString();
  const wished = {
    commandId: commandId('cancel'),
    fingerprint: fingerprint('cancel'),
    by: 'user',
    ifVersions: null,
  } as const;
  return { type: 'Cancel', reason: 'user_requested', ...wished, nowMs, at };
}

/** Free slots on a date, at the position of an answer or after all events; 0 if not listed. */
export async function freeOn(service: Service, activity: string, date: string, after?: Answer): Promise<number> {
  const position = after?.headers.get('x-position') ?? (await headOf(service));
  const answer = await service.inventory(`activity_id=${activity}&date=${date}`, { 'x-position': position });
  return answer.status === 200 ? (answer.data.inventory[0]?.available_slots ?? 0) : 0;
}

/** Changes the entries of a city's catalogue file. The service reads it at its start. */
export function changeCatalogue(service: Service, city: string, id: string, change: object): void {
  const file = join(service.catalogueDirectory, `${city}.json`);
  const text = JSON.parse(readFileSync(file, 'utf8')) as { readonly activities: readonly { readonly id: string }[] };
  const activities = text.activities.map((entry) => (entry.id === id ? { ...entry, ...change } : entry));
  writeFileSync(file, JSON.stringify({ ...text, activities }));
}

/** The events of a booking, oldest first. */
export async function eventsOf(service: Service, { booking_id: id }: Pick<Booking, 'booking_id'>) {
  const events = await service.events();
  return events.filter(({ stream }) => stream === `booking-${id}`);
}
