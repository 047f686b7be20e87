import type { AllotmentRejection } from '../../../src/domain/allotment/allotment.ts';
import type { Step, StepResult } from '../../../src/domain/booking/attempt.ts';
import type { BookingRejection } from '../../../src/domain/booking/booking.ts';
import type { ReaperCommand } from '../../../src/domain/booking/claim-reaper.ts';
import { type GuestRejection, guestId } from '../../../src/domain/guest/guest.ts';
import { unreachable } from '../../../src/eventsourcing/message.ts';
import type { Attempt } from './attempt.ts';
import type { Guests } from './guests.ts';
import type { Log } from './log.ts';
import type { AnyStream, Stream } from './stream.ts';

/** A decided append on its way to the store: the moment its stream would reach. */
type Append = AnyStream;
export type Request = { readonly attempt: Attempt; readonly append: Append | null };

/**
 * Everything there is at one moment: the streams (allotments and bookings in the log, guests beside it), the requests
 * in flight, each on a node of its own, the appends that reapers have in flight, and whether the claims' deadline has
 * passed. A crash is a process that never moves again, a lost message one that is never sent; a repeated request is one
 * more request with the same wish.
 */
export type World = {
  readonly late: boolean;
  readonly log: Log;
  readonly guests: Guests;
  readonly requests: readonly Request[];
  readonly reapers: readonly (Append | null)[];
};

/** What can happen next. `by` is the index of the request that moved, null for any other process. */
export type Move = { readonly says: () => string; readonly world: World; readonly by: number | null };

type Reply =
  | { readonly kind: 'appends'; readonly becomes: Append }
  | { readonly kind: 'result'; readonly result: StepResult };

const C1 = new Map<number, number>(); const C2 = new Map<string, number>();
function canon(x: any) { let n = C1.get(x.number); if (n === undefined) { const k = x.name + x.events.map((e: any) => JSON.stringify(e)).sort().join(); n = C2.get(k); if (n === undefined) { n = C2.size; C2.set(k, n); } C1.set(x.number, n); } return n; }
/** Equal for worlds that cannot be told apart: requests with the same wish, and reapers, may change places. */
export function keyOf({ late, log, guests, requests, reapers }: World): string {
  const processes = requests.map(({ attempt, append }) => attempt.outcome !== null ? '0' : `${attempt.number}.${append ? 1 : 0}`).sort();
  const appends = reapers.map((append) => append ? append.kind + append.name + JSON.stringify(append.appended) : 0).sort();
  return `${late ? 1 : 0} ${[...log.allotments.values(), ...log.bookings.values()].map(canon).join('.')} ${guests.number} ${processes.join(' ')} ${appends.join(' ')}`;
}

/** Every move of every process, in a fixed order. */
export function moves(world: World, expectedRevision: boolean): Move[] {
  const all: Move[] = [];
  for (const index of world.requests.keys()) {
    const move = requestMove(world, index, expectedRevision);
    if (move !== null) all.push(move);
  }
  if (!world.late) all.push({ says: () => 'the deadline of the claims passes', world: { ...world, late: true }, by: null });
  for (const index of world.reapers.keys()) {
    const append = world.reapers[index];
    if (append) all.push(reaperLands(world, index, append, expectedRevision));
  }
  all.push(...reaperStarts(world));
  return all;
}

function requestMove(world: World, index: number, expectedRevision: boolean): Move | null {
  const { attempt, append } = world.requests[index] as Request;
  const who = `P${index + 1}`;
  if (!attempt.begun) {
    const booking = bookingOf(world.log, attempt.wish.booking);
    const begun = attempt.begin(booking.state);
    const says = () => `${who} (${attempt.wish.guests} with ${attempt.wish.guest}) reads ${placeOf(booking)}, ${foundIn(booking)}${endOf(begun)}`;
    return { says, world: withRequest(world, index, begun, null), by: index };
  }
  if (attempt.step === null) return null;
  const { step } = attempt;
  if (append !== null) {
    const stream = landed(world, append, expectedRevision);
    const result = resultOf(stream, null);
    const next = attempt.answered(result);
    const says = () => `${who} appends ${namesOf(append)} to ${placeOf(append)}${endOf(next)}`;
    return { says, world: withStream(withRequest(world, index, next, null), stream, expectedRevision), by: index };
  }
  const reply = decide(world, step);
  if (reply.kind === 'appends' && (globalThis as any).ATOMIC) {
    const next = attempt.answered(resultOf(reply.becomes, null));
    return {says: () => who + ' does ' + namesOf(reply.becomes), world: withStream(withRequest(world, index, next, null), reply.becomes, expectedRevision), by: index };
  }
  if (reply.kind === 'appends') {
    const says = () => `${who} reads ${placeOf(reply.becomes)} at revision ${(reply.becomes.before?.revision)} and decides ${namesOf(reply.becomes)}`;
    return { says, world: withRequest(world, index, attempt, reply.becomes), by: index };
  }
  const next = attempt.answered(reply.result);
  const says = () => `${who} is told ${JSON.stringify(reply.result)} by ${step.to} ${step.id}${endOf(next)}`;
  return { says, world: withRequest(world, index, next, null), by: index };
}

/** A node reads a stream and decides: what it would append, or else its answer, which stands on that same reading. */
function decide(world: World, step: Step): Reply {
  switch (step.to) {
    case 'read': {
      const { state } = bookingOf(world.log, step.id);
      return {
        kind: 'result',
        result: { kind: 'read', abandonments: state.abandoned.length, exists: state.status !== 'none' },
      };
    }
    case 'allotment': {
      const stream = allotmentOf(world.log, step.id);
      const handled = stream.handle(step.command);
      return handled.kind === 'appends'
        ? handled
        : { kind: 'result', result: handled.kind === 'erased' ? handled : resultOf(stream, handled.rejection) };
    }
    case 'guest': {
      const stream = world.guests.of(step.id);
      const handled = stream.handle(step.command);
      return handled.kind === 'appends'
        ? handled
        : { kind: 'result', result: handled.kind === 'erased' ? handled : resultOf(stream, handled.rejection) };
    }
    case 'booking': {
      const stream = bookingOf(world.log, step.id);
      const handled = stream.handle(step.command);
      return handled.kind === 'appends'
        ? handled
        : { kind: 'result', result: handled.kind === 'erased' ? handled : resultOf(stream, handled.rejection) };
    }
    default:
      return unreachable(step);
  }
}

/** What the stream's entity makes of a command once it stands in the stream, or was refused. */
function resultOf(
  stream: AnyStream,
  rejection: AllotmentRejection | BookingRejection | GuestRejection | null,
): StepResult {
  if (rejection !== null) return { kind: 'refused', rejection };
  if (stream.kind !== 'allotment') return { kind: 'done' };
  if (stream.state.status === 'unopened') throw new Error('a claim was accepted by an allotment that is not open');
  return { kind: 'claimed', opening: stream.state.opening };
}

function reaperLands(world: World, index: number, append: Append, expectedRevision: boolean): Move {
  const stream = landed(world, append, expectedRevision);
  const says = () => `a reaper appends ${namesOf(append)} to ${placeOf(append)}`;
  const reapers = world.reapers.with(index, null);
  return { says, world: withStream({ ...world, reapers }, stream, expectedRevision), by: null };
}

/** Whatever some reaper owes, having seen any part of the log, however long ago and however often it was sent before. */
function reaperStarts(world: World, expectedRevision = true): Move[] {
  const starts: Move[] = [];
  const free = world.reapers.indexOf(null);
  for (const { command, seen } of world.late ? world.log.owedAfter : world.log.owedBefore) {
    const who = `a reaper that has seen ${seen} of ${world.log.events.length} events`;
    if (command.type === 'EraseGuest') {
      const guest = world.guests.of(guestId(command.claim));
      if (guest.erased) continue;
      const says = () => `${who} erases ${placeOf(guest)}`;
      starts.push({ says, world: withStream(world, guest.erase(), true), by: null });
      continue;
    }
    if (free < 0) continue;
    const becomes = reaperDecides(world.log, command);
    if (becomes === null) continue;
    if ((globalThis as any).ATOMIC) { starts.push({says: () => 'r', world: withStream(world, becomes, expectedRevision), by: null}); continue; }
    const says = () => `${who} reads ${placeOf(becomes)} at revision ${becomes.before?.revision} and decides ${namesOf(becomes)}`;
    starts.push({ says, world: { ...world, reapers: world.reapers.with(free, becomes) }, by: null });
  }
  return starts;
}

/** What a reaper's command appends now, null for nothing. */
export function reaperDecides(
  log: Log,
  command: Exclude<ReaperCommand, { type: 'EraseGuest' }>,
): Stream<'allotment'> | Stream<'booking'> | null {
  const handled =
    command.type === 'AbandonClaim'
      ? bookingOf(log, command.booking).handle(command)
      : allotmentOf(log, command.allotment).handle(command);
  return handled.kind === 'appends' ? handled.becomes : null;
}

/** The stream after an append that the store accepts. */
function landed(world: World, append: Append, expectedRevision: boolean): AnyStream {
  if (expectedRevision) return append;
  switch (append.kind) {
    case 'allotment':
      return allotmentOf(world.log, append.name).then(append.appended);
    case 'booking':
      return bookingOf(world.log, append.name).then(append.appended);
    case 'guest':
      return append;
    default:
      return unreachable(append);
  }
}

/**
 * The world after a stream has moved on. Every other append that was decided on the moment before can now only fail with
 * a wrong revision, which touches nothing but its own process: so it fails here and now, and its process is back to
 * reading. (Rounds are not counted: an entity that gives up is a process that stops, and those there are anyway.)
 */
function withStream(world: World, stream: AnyStream, expectedRevision: boolean): World {
  const moved =
    stream.kind === 'guest'
      ? { ...world, guests: world.guests.with(stream) }
      : { ...world, log: world.log.with(stream) };
  if (!expectedRevision) return moved;
  const lost = (append: Append | null) => append !== null && append.kind === stream.kind && append.name === stream.name;
  return {
    ...moved,
    requests: moved.requests.map((request) => (lost(request.append) ? { ...request, append: null } : request)),
    reapers: moved.reapers.map((append) => (lost(append) ? null : append)),
  };
}

function withRequest(world: World, index: number, attempt: Attempt, append: Append | null): World {
  return { ...world, requests: world.requests.with(index, { attempt, append }) };
}

export function allotmentOf(log: Log, id: string): Stream<'allotment'> {
  const stream = log.allotments.get(id);
  if (stream === undefined) throw new Error(`the scenario has no allotment ${id}`);
  return stream;
}

export function bookingOf(log: Log, id: string): Stream<'booking'> {
  const stream = log.bookings.get(id);
  if (stream === undefined) throw new Error(`the scenario has no booking ${id}`);
  return stream;
}

function placeOf({ kind, name }: AnyStream): string {
  return `${kind} ${name}`;
}

function namesOf(append: Append): string {
  return append.appended.map((event: { type: string }) => event.type).join(', ');
}

function foundIn({ state }: Stream<'booking'>): string {
  return `${state.status}, ${state.abandoned.length} abandoned`;
}

function endOf({ outcome }: Attempt): string {
  return outcome === null ? '' : `; its answer: ${JSON.stringify(outcome)}`;
}
