import type { AllotmentRejection } from '../../../src/domain/allotment/allotment.ts';
import type { Step, StepResult } from '../../../src/domain/booking/attempt.ts';
import type { BookingRejection } from '../../../src/domain/booking/booking.ts';
import type { ReaperCommand } from '../../../src/domain/booking/claim-reaper.ts';
import { type GuestRejection, guestId } from '../../../src/domain/guest/guest.ts';
import { unreachable } from '../../../src/eventsourcing/message.ts';
import { Attempt } from './attempt.ts';
import type { Rules } from './rules.ts';
import { Store } from './store.ts';
import { type AnyStream, type Append, type Handled, numbers } from './stream.ts';
import type { Wish } from './wish.ts';

/** A request to book, on a node of its own: how far it has come, and the append that it has decided, if any. */
export type Request = { readonly attempt: Attempt; readonly append: Append | null };

/**
 * Everything there is at one moment. A crash is a process that never moves again, a lost message one that is never
 * sent, a lost answer a request that never moves again although its append stands, and a client's repetition one more
 * request with the same wish.
 */
export type World = {
  readonly late: boolean;
  readonly store: Store;
  readonly requests: readonly Request[];
  /** The appends that reapers have decided; null for a reaper with none. */
  readonly reapers: readonly (Append | null)[];
};

/** What can happen next. `by` is the index of the request that moved, null for any other process. */
export type Move = { readonly says: () => string; readonly world: World; readonly by: number | null };

export type Scenario = {
  readonly name: string;
  readonly wishes: readonly Wish[];
  /** Claims that each request may make. */
  readonly claims: number;
};

/** Reapers that can have an append in flight at the same time. */
const REAPERS = 2;

/** The world before anything has happened. */
export function beginning({ wishes, claims }: Scenario, rules: Rules): World {
  const next = numbers();
  const attempts = { claimId: rules.claimId, claims, numbers: next, moments: new Map<string, Attempt>() };
  return {
    late: false,
    store: Store.empty(rules, next),
    requests: wishes.map((wish) => ({ attempt: Attempt.of(wish, attempts), append: null })),
    reapers: Array.from({ length: REAPERS }, () => null),
  };
}

/** Equal for worlds of equal futures: requests with the same wish may change places, and ended ones do nothing more. */
export function keyOf({ late, store, requests, reapers }: World): string {
  const running = requests.map(({ attempt, append }) =>
    attempt.outcome === null ? `${attempt.number}.${append?.number ?? 0}` : '',
  );
  const appends = reapers.map((append) => append?.number ?? 0);
  return `${late ? 1 : 0} ${store.number} ${running.sort().join(' ')} ${appends.sort((a, b) => a - b).join(' ')}`;
}

/** Every move of every process, in a fixed order. */
export function moves(world: World, { expectedRevision }: Rules): Move[] {
  const all: Move[] = [];
  for (const [index, request] of world.requests.entries()) {
    const move = requestMove(world, index, request, expectedRevision);
    if (move !== null) all.push(move);
  }
  for (const [index, append] of world.reapers.entries()) {
    if (append === null) continue;
    const after = landed({ ...world, reapers: world.reapers.with(index, null) }, append, expectedRevision);
    all.push({ says: () => `a reaper appends ${named(append)}`, world: after, by: null });
  }
  all.push(...reaperStarts(world));
  if (!world.late) {
    all.push({ says: () => 'the deadline of all claims passes', world: { ...world, late: true }, by: null });
  }
  return all;
}

function requestMove(world: World, index: number, request: Request, expectedRevision: boolean): Move | null {
  const { attempt, append } = request;
  const { step, wish } = attempt;
  const moved = (next: Request, what: () => string, from: World = world): Move => ({
    says: () => `P${index + 1} ${what()}${answer(next.attempt)}`,
    world: { ...from, requests: from.requests.with(index, next) },
    by: index,
  });
  if (!attempt.begun) {
    const { state } = world.store.stream('booking', wish.booking);
    const next = { attempt: attempt.begin(state), append: null };
    const found = () => `${state.status}, ${state.abandoned.length} claims abandoned`;
    return moved(next, () => `(${wish.guests} with ${wish.guest}) reads booking ${wish.booking}: ${found()}`);
  }
  if (step === null) return null;
  if (append !== null) {
    const next = { attempt: attempt.answered(resultOf(append.becomes, null)), append: null };
    return moved(next, () => `appends ${named(append)}`, landed(world, append, expectedRevision));
  }
  const reply = decided(world.store, step);
  if (reply.kind === 'appends') {
    return moved({ attempt, append: reply.append }, () => `decides ${named(reply.append)}`);
  }
  const next = { attempt: attempt.answered(reply), append: null };
  return moved(next, () => `is told by ${step.to} ${step.id}: ${told(reply)}`);
}

/** A node reads the stream and decides; an answer without an append stands on what was read just now. */
function decided(store: Store, step: Step): StepResult | { readonly kind: 'appends'; readonly append: Append } {
  switch (step.to) {
    case 'read': {
      const { state } = store.stream('booking', step.id);
      return { kind: 'read', abandonments: state.abandoned.length, exists: state.status !== 'none' };
    }
    case 'allotment': {
      const stream = store.stream('allotment', step.id);
      return replied(stream, stream.handle(step.command));
    }
    case 'guest': {
      const stream = store.stream('guest', step.id);
      return replied(stream, stream.handle(step.command));
    }
    case 'booking': {
      const stream = store.stream('booking', step.id);
      return replied(stream, stream.handle(step.command));
    }
    default:
      return unreachable(step);
  }
}

function replied(stream: AnyStream, handled: Handled<'allotment'> | Handled<'booking'> | Handled<'guest'>) {
  return handled.kind === 'answers' ? resultOf(stream, handled.rejection) : handled;
}

/** What a driver makes of the entity's answer, once the command stands in the stream or was refused. */
function resultOf(
  stream: AnyStream,
  rejection: AllotmentRejection | BookingRejection | GuestRejection | null,
): StepResult {
  if (rejection !== null) return { kind: 'refused', rejection };
  if (stream.kind !== 'allotment') return { kind: 'done' };
  if (stream.state.status === 'unopened') throw new Error('an allotment that is not open accepted a claim');
  return { kind: 'claimed', opening: stream.state.opening };
}

/** Whatever some reaper owes: a stream is erased at once, an append is decided first. */
function reaperStarts(world: World): Move[] {
  const { store, late, reapers } = world;
  const starts: Move[] = [];
  const idle = reapers.indexOf(null);
  for (const { command, seen } of late ? store.owedLate : store.owedEarly) {
    const who = () => `a reaper that has seen ${seen} of ${store.log.length} events`;
    if (command.type === 'EraseGuest') {
      const guest = store.stream('guest', guestId(command.claim));
      if (guest.erased) continue;
      const after = withStore(world, store.erase(guest), guest);
      starts.push({ says: () => `${who()} erases guest ${guest.name}`, world: after, by: null });
    } else if (idle >= 0) {
      const append = reaperDecides(store, command);
      if (append === null) continue;
      const after = { ...world, reapers: reapers.with(idle, append) };
      starts.push({ says: () => `${who()} decides ${named(append)}`, world: after, by: null });
    }
  }
  return starts;
}

/** What a reaper's command would append now, null for nothing. */
export function reaperDecides(store: Store, command: Exclude<ReaperCommand, { type: 'EraseGuest' }>): Append | null {
  const handled =
    command.type === 'AbandonClaim'
      ? store.stream('booking', command.booking).handle(command)
      : store.stream('allotment', command.allotment).handle(command);
  return handled.kind === 'appends' ? handled.append : null;
}

/** The world after the store took an append: at the revision it was decided on, or (rules without that) at any. */
function landed(world: World, append: Append, expectedRevision: boolean): World {
  if (expectedRevision) return withStore(world, world.store.with(append), append.on);
  return { ...world, store: world.store.with(anywhere(world.store, append)) };
}

/**
 * The world after a stream moved on. Any other append that was decided on the moment before can now only fail with a
 * wrong revision, which touches nothing but its own process; so it fails at once, and its process has to read again.
 * A node that decides on an older, cached state comes to the same: it fails, or reads again before it answers. Rounds
 * are not counted, because an entity that gives up after some is a request that stops, and any request may.
 */
function withStore(world: World, store: Store, { kind, name }: AnyStream): World {
  const lost = (append: Append | null) => append !== null && append.kind === kind && append.on.name === name;
  return {
    ...world,
    store,
    requests: world.requests.map((request) => (lost(request.append) ? { ...request, append: null } : request)),
    reapers: world.reapers.map((append) => (lost(append) ? null : append)),
  };
}

/** The same events, appended to the stream as it is now. */
function anywhere(store: Store, append: Append): Append {
  switch (append.kind) {
    case 'allotment': {
      const on = store.stream('allotment', append.on.name);
      return { ...append, on, becomes: on.then(append.events) };
    }
    case 'booking': {
      const on = store.stream('booking', append.on.name);
      return { ...append, on, becomes: on.then(append.events) };
    }
    case 'guest': {
      const on = store.stream('guest', append.on.name);
      return { ...append, on, becomes: on.then(append.events) };
    }
    default:
      return unreachable(append);
  }
}

function named({ kind, on, events }: Append): string {
  const types = events.map(({ type }) => type).join(', ');
  return `${types} to ${kind} ${on.name} at revision ${on.revision}`;
}

function told(result: StepResult): string {
  if (result.kind === 'refused') return result.rejection.code;
  return result.kind === 'read' ? `exists: ${result.exists}, ${result.abandonments} claims abandoned` : result.kind;
}

function answer({ outcome }: Attempt): string {
  return outcome === null ? '' : ` and answers ${outcome.kind}`;
}
