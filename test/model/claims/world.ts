import type { AllotmentRejection } from '../../../src/domain/allotment/commands.ts';
import type { BookingRejection } from '../../../src/domain/booking/commands.ts';
import { claimedBy, type Step, type StepResult } from '../../../src/domain/booking/workflow-step.ts';
import { type GuestRejection, guestId } from '../../../src/domain/guest/guest.ts';
import { unreachable } from '../../../src/eventsourcing/message.ts';
import type { ReaperCommand } from '../../../src/processes/reap-claims/process-manager.ts';
import { Attempt } from './attempt.ts';
import type { Rules } from './rules.ts';
import { Store } from './store.ts';
import { type AnyStream, type Append, type Handled, numbers } from './stream.ts';
import { DEADLINE_MS, spelledWish, type Wish } from './wish.ts';

/** A request, on a node of its own: how far it has come, and the append that it has decided, if any. */
export type Request = { readonly attempt: Attempt; readonly append: Append | null };

/**
 * Everything there is at one moment. A crash is a process that never moves again, a lost message one that is never
 * sent, a lost answer a request that never moves again although its append stands, and a client's repetition one more
 * request with the same wish. Commands that an entity decides in one batch are appends that follow each other at once.
 */
export type World = {
  /** Whether the claims' deadline has passed. */
  readonly late: boolean;
  readonly store: Store;
  readonly requests: readonly Request[];
  /** The appends that reapers have decided; null for a reaper with none. */
  readonly reapers: readonly (Append | null)[];
};

/** What can happen next. */
export type Move = {
  readonly says: () => string;
  readonly world: World;
  /**
   * The request that moved, after the move, with its step, the step's result and its append; null for a move of another
   * process.
   */
  readonly request: {
    readonly attempt: Attempt;
    readonly step: Step | null;
    readonly told: StepResult | null;
    readonly appended: Append | null;
  } | null;
};

export type Scenario = {
  readonly name: string;
  /** Done one after the other, and in peace, before anything else. */
  readonly before: readonly Wish[];
  /** Requests at the same time. */
  readonly wishes: readonly Wish[];
  /** Claims that each request may make. */
  readonly claims: number;
};

/** Reapers that can have an append in flight at the same time. */
const REAPERS = 2;

/** The world before anything has happened. */
export function beginning({ before, wishes, claims }: Scenario, rules: Rules): World {
  const next = numbers();
  const { claimId, book, modify } = rules;
  const attempts = { claimId, book, modify, claims, numbers: next, moments: new Map<string, Attempt>() };
  const request = (wish: Wish): Request => ({ attempt: Attempt.of(wish, attempts), append: null });
  let store = Store.empty(rules, next);
  for (const wish of before) store = doneInPeace(store, request(wish), rules);
  return {
    late: false,
    store,
    requests: wishes.map(request),
    reapers: Array.from({ length: REAPERS }, () => null),
  };
}

function doneInPeace(from: Store, alone: Request, rules: Rules): Store {
  let world: World = { late: false, store: from, requests: [alone], reapers: [] };
  for (let [request] = world.requests; request !== undefined; [request] = world.requests) {
    const move = requestMove(world, 0, request, rules);
    if (move === null) return world.store;
    world = move.world;
  }
  return world.store;
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
export function moves(world: World, rules: Rules): Move[] {
  const all: Move[] = [];
  for (const [index, request] of world.requests.entries()) {
    const move = requestMove(world, index, request, rules);
    if (move !== null) all.push(move);
  }
  for (const [index, append] of world.reapers.entries()) {
    if (append === null) continue;
    const after = landed({ ...world, reapers: world.reapers.with(index, null) }, append, rules);
    all.push({ says: () => `a reaper ${landing(append)}`, world: after, request: null });
  }
  all.push(...reaperStarts(world));
  if (!world.late) {
    all.push({ says: () => 'the deadline of all claims passes', world: { ...world, late: true }, request: null });
  }
  return all;
}

function requestMove(world: World, index: number, request: Request, rules: Rules): Move | null {
  const { attempt, append } = request;
  const { step, wish } = attempt;
  const moved = (next: Request, told: StepResult | null, what: () => string, from: World = world): Move => ({
    says: () => `P${index + 1} ${what()}${answer(next.attempt)}`,
    world: { ...from, requests: from.requests.with(index, next) },
    request: { attempt: next.attempt, step, told, appended: from === world ? null : append },
  });
  const told = (result: StepResult, what: () => string, from?: World): Move =>
    moved({ attempt: attempt.answered(result), append: null }, result, what, from);
  if (!attempt.begun) {
    const { state } = world.store.stream('booking', bookingOf(wish));
    const found = () => `${state.status}, ${state.abandoned.length} claims abandoned`;
    const what = () => `(${spelledWish(wish)}) reads booking ${bookingOf(wish)}: ${found()}`;
    return moved({ attempt: attempt.begin(state, world.late ? DEADLINE_MS : 0), append: null }, null, what);
  }
  if (step === null) return null;
  if (append !== null) {
    const after = landed(world, append, rules);
    return told(resultOf(append.becomes, step, null), () => landing(append), after);
  }
  const reply = decided(world.store, step, rules);
  if (reply.kind !== 'appends')
    return told(reply, () => `is told ${spoken(reply)} by ${step.to === 'read' ? 'booking' : step.to} ${step.id}`);
  return moved({ attempt, append: reply.append }, null, () => decision(reply.append));
}

/** A node reads the stream and decides; an answer without an append stands on what was read just now. */
function decided(store: Store, step: Step, { reading }: Rules): StepResult | { kind: 'appends'; append: Append } {
  switch (step.to) {
    case 'read':
      return reading(store.stream('booking', step.id).state);
    case 'allotment': {
      const stream = store.stream('allotment', step.id);
      return replied(stream, step, stream.handle(step.command));
    }
    case 'guest': {
      const stream = store.stream('guest', step.id);
      return replied(stream, step, stream.handle(step.command));
    }
    case 'booking': {
      const stream = store.stream('booking', step.id);
      return replied(stream, step, stream.handle(step.command));
    }
    default:
      return unreachable(step);
  }
}

function replied(stream: AnyStream, step: Step, handled: Handled<'allotment'> | Handled<'booking'> | Handled<'guest'>) {
  return handled.kind === 'answers' ? resultOf(stream, step, handled.rejection) : handled;
}

/** What a driver makes of the entity's answer, once the command stands in the stream or was refused. */
function resultOf(
  stream: AnyStream,
  step: Step,
  rejection: AllotmentRejection | BookingRejection | GuestRejection | null,
): StepResult {
  if (rejection !== null) return { kind: 'rejected', rejection };
  if (stream.kind !== 'allotment' || step.to !== 'allotment') return { kind: 'done' };
  if (stream.state.status === 'unopened') throw new Error('an allotment that is not open accepted a claim');
  return claimedBy(stream.state, step.command);
}

function bookingOf(wish: Wish): string {
  if ('booking' in wish) return wish.booking;
  throw new Error(`a wish to ${wish.kind} reads no booking`);
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
      starts.push({ says: () => `${who()} erases guest ${guest.name}`, world: after, request: null });
    } else if (idle >= 0) {
      const append = reaperDecides(store, command);
      if (append === null) continue;
      const after = { ...world, reapers: reapers.with(idle, append) };
      starts.push({ says: () => `${who()} ${decision(append)}`, world: after, request: null });
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
function landed(world: World, append: Append, { expectedRevision }: Rules): World {
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
  const lost = (append: Append | null) => append?.kind === kind && append.on.name === name;
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
      return { ...append, on, becomes: on.after(append.events) };
    }
    case 'booking': {
      const on = store.stream('booking', append.on.name);
      return { ...append, on, becomes: on.after(append.events) };
    }
    case 'guest': {
      const on = store.stream('guest', append.on.name);
      return { ...append, on, becomes: on.after(append.events) };
    }
    default:
      return unreachable(append);
  }
}

function decision({ kind, on, events }: Append): string {
  const names = events.map(({ type }) => type).join(', ');
  return `reads ${kind} ${on.name} at revision ${on.revision} and decides ${names}`;
}

function landing({ kind, on, events }: Append): string {
  return `appends ${events.map(spelled).join(', ')} to ${kind} ${on.name}`;
}

function spelled({ type, data }: Append['events'][number]): string {
  if ('claim' in data) return `${type} ${data.claim}`;
  if ('hold' in data) return `${type} ${data.hold}`;
  return 'claims' in data ? `${type} with ${data.claims.map(({ id }) => id).join(', ')}` : type;
}

/** The answer of a stream in a word or two. */
export function spoken(result: StepResult): string {
  if (result.kind === 'rejected') return result.rejection.code;
  if (result.kind !== 'read') return result.kind;
  const { status, abandoned } = result.booking;
  return `${status === 'none' ? 'it does not exist' : 'it exists'}, ${abandoned.length} claims abandoned,`;
}

function answer({ outcome }: Attempt): string {
  return outcome === null ? '' : ` and answers ${outcome.kind}`;
}
