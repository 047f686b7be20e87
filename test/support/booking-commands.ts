import type { BookingCommand } from '../../src/domain/booking/commands.ts';
import type { BookingFacts } from '../../src/domain/booking/facts.ts';
import { guestId, NO_CALLER_DATA } from '../../src/domain/guest/guest.ts';
import { allotmentIdOf, type BookingId } from '../../src/domain/ids.ts';
import { bookingId, claimId, commandId, fingerprint } from './examples.ts';
import type { Service } from './service.ts';

/** The common fields of a customer's commands, at the service's time. */
export function wishedNow({ clock }: Service, name: string) {
  const nowMs = clock.nowMs();
  return {
    commandId: commandId(name),
    fingerprint: fingerprint(name),
    by: 'user' as const,
    ifVersions: null,
    nowMs,
    at: new Date(nowMs).toISOString(),
  };
}

/** Sends a command to a booking's stream, like an endpoint. @throws if it is rejected */
export async function command(service: Service, booking: string, given: BookingCommand, by: string): Promise<string> {
  const { streams, clock, ids, positions } = service.node.context;
  const nowMs = clock.nowMs();
  const cause = { correlationId: ids.uuid(), causationId: null, by, at: new Date(nowMs).toISOString() };
  const reply = await streams.bookings.handle(bookingId(booking), given, cause, nowMs + 10_000);
  if (reply.kind !== 'accepted') throw new Error(`${given.type} of ${booking}: ${JSON.stringify(reply)}`);
  return reply.position === null ? '' : positions.format(reply.position);
}

/** The facts of a stored booking. */
export async function factsOf({ node }: Service, booking: string): Promise<BookingFacts> {
  const reply = await node.context.streams.bookings.read(bookingId(booking), Number.POSITIVE_INFINITY);
  if (reply.kind !== 'state' || reply.state.status === 'none') throw new Error(`there is no booking ${booking}`);
  return reply.state.facts;
}

/**
 * A booking of `A_WISH` that its venue may answer until a time (ms since the epoch), put together step by step, with the
 * facts of another one that is made for them.
 */
export async function placeOnRequest(service: Service, answerByMs: number): Promise<BookingId> {
  const { streams, ids, clock } = service.node.context;
  const like = await factsOf(service, (await service.book({ num_adults: 1 })).data.booking_id);
  const id = bookingId('bk_0123456789abcdefghjk');
  const claim = claimId(`${id}.1`);
  const allotment = allotmentIdOf(like.activityId, like.date);
  const state = await streams.allotments.read(allotment, Number.POSITIVE_INFINITY);
  if (state.kind !== 'state' || state.state.status !== 'open') throw new Error('nothing to book');
  const cause = {
    correlationId: ids.uuid(),
    causationId: null,
    by: like.keyId,
    at: new Date(clock.nowMs()).toISOString(),
  };
  const deadlineMs = clock.nowMs() + 10_000;
  const { schedule } = state.state;
  const claiming = {
    type: 'ClaimSlots',
    unpaid: null,
    claimId: claim,
    bookingId: id,
    size: 2,
    deadlineMs: clock.nowMs() + 60_000,
    hotelPercentOff: 0,
    expectedTotalMinor: null,
    nowMs: clock.nowMs(),
    releasesSeen: 0,
    schedule,
  } as const;
  await streams.allotments.handle(allotment, claiming, cause, deadlineMs);
  const guest = { ...NO_CALLER_DATA, name: 'Ada Lovelace', email: 'ada@example.com', specialRequests: null };
  const record = { type: 'RecordGuest', bookingId: id, fingerprint: like.guest, guest } as const;
  await streams.guests.handle(guestId(claim), record, cause, deadlineMs);
  const facts = { ...like, numAdults: 2, claims: [{ allotment, id: claim, size: 2 }] };
  await command(service, id, { type: 'PlaceOnRequest', facts, answerByMs }, like.keyId);
  return id;
}
