import type { AllotmentRejection } from '../../../src/domain/allotment/commands.ts';
import { releasesOf } from '../../../src/domain/allotment/state.ts';
import type { BookingRejection } from '../../../src/domain/booking/commands.ts';
import { claimedBy, type Step, type StepResult } from '../../../src/domain/booking/workflow-step.ts';
import { type GuestRejection, guestId } from '../../../src/domain/guest/guest.ts';
import { unreachable } from '../../../src/eventsourcing/message.ts';
import type { ReapClaimsCommand } from '../../../src/processes/reap-claims/process-manager.ts';
import { Attempt } from './attempt.ts';
import { allotmentOf, DEADLINE_MS, describeRequest, type Request } from './requests.ts';
import type { Rules } from './rules.ts';
import { Store } from './store.ts';
import { type AnyStream, type Append, type Handled, numbers } from './stream.ts';

/** The execution of a request on its own node: its progress, and the append that it has decided, if any. */
export type Execution = { readonly attempt: Attempt; readonly append: Append | null };

/**
 * The whole system at one moment. A crash is a process that never moves again; a lost message is one that is never sent;
 * a lost answer is a request that never moves again although its append is stored; a client's repetition is another equal
 * request. Commands that an entity decides in one batch are appends that directly follow each other.
 */
export type World = {
  /** Whether the claims' deadline has passed. */
  readonly late: boolean;
  readonly store: Store;
  readonly executions: readonly Execution[];
  /** The appends that reapers have decided; null for a reaper with none. */
  readonly reapers: readonly (Append | null)[];
};

/** A possible next step of one process. */
export type Move = {
  readonly describe: () => string;
  readonly world: World;
  /**
   * The request that moved: its attempt after the move, the step, its result and its append. Null if another process
   * moved.
   */
  readonly execution: {
    readonly attempt: Attempt;
    readonly step: Step | null;
    readonly result: StepResult | null;
    readonly appended: Append | null;
  } | null;
};

export type Scenario = {
  readonly name: string;
  /** Run first, one after the other, without concurrency. */
  readonly before: readonly Request[];
  /** Concurrent requests. */
  readonly requests: readonly Request[];
  /** Maximum number of claims per request. */
  readonly claims: number;
};

/** Maximum number of reapers with a pending append. */
const REAPERS = 2;

/** The world before the concurrent requests. */
export function initialWorld({ before, requests, claims }: Scenario, rules: Rules): World {
  const next = numbers();
  const { claimId, book, modify } = rules;
  const attempts = { claimId, book, modify, claims, numbers: next, moments: new Map<string, Attempt>() };
  const execution = (request: Request): Execution => ({ attempt: Attempt.of(request, attempts), append: null });
  let store = Store.empty(rules, next);
  for (const request of before) store = runAlone(store, execution(request), rules);
  return {
    late: false,
    store,
    executions: requests.map(execution),
    reapers: Array.from({ length: REAPERS }, () => null),
  };
}

function runAlone(from: Store, alone: Execution, rules: Rules): Store {
  let world: World = { late: false, store: from, executions: [alone], reapers: [] };
  for (let [execution] = world.executions; execution !== undefined; [execution] = world.executions) {
    const move = executionMove(world, 0, execution, rules);
    if (move === null) return world.store;
    world = move.world;
  }
  return world.store;
}

/** Equal for worlds with equal futures: equal requests are interchangeable, and ended ones do nothing. */
export function keyOf({ late, store, executions, reapers }: World): string {
  const running = executions.map(({ attempt, append }) =>
    attempt.outcome === null ? `${attempt.number}.${append?.number ?? 0}` : '',
  );
  const appends = reapers.map((append) => append?.number ?? 0);
  return `${late ? 1 : 0} ${store.number} ${running.sort().join(' ')} ${appends.sort((a, b) => a - b).join(' ')}`;
}

/** Every move of every process, in a fixed order. */
export function moves(world: World, rules: Rules): Move[] {
  const all: Move[] = [];
  for (const [index, execution] of world.executions.entries()) {
    const move = executionMove(world, index, execution, rules);
    if (move !== null) all.push(move);
  }
  for (const [index, append] of world.reapers.entries()) {
    if (append === null) continue;
    const after = afterAppend({ ...world, reapers: world.reapers.with(index, null) }, append, rules);
    all.push({ describe: () => `a reaper ${describeAppend(append)}`, world: after, execution: null });
  }
  all.push(...reaperStarts(world));
  if (!world.late) {
    all.push({ describe: () => 'the deadline of all claims passes', world: { ...world, late: true }, execution: null });
  }
  return all;
}

function executionMove(world: World, index: number, execution: Execution, rules: Rules): Move | null {
  const { attempt, append } = execution;
  const { step, request } = attempt;
  const moved = (next: Execution, result: StepResult | null, what: () => string, from: World = world): Move => ({
    describe: () => `P${index + 1} ${what()}${answer(next.attempt)}`,
    world: { ...from, executions: from.executions.with(index, next) },
    execution: { attempt: next.attempt, step, result, appended: from === world ? null : append },
  });
  const answeredWith = (result: StepResult, what: () => string, from?: World): Move =>
    moved({ attempt: attempt.answered(result), append: null }, result, what, from);
  if (!attempt.started) {
    const { state } = world.store.stream('booking', bookingOf(request));
    const found = () => `${state.status}, ${state.abandoned.length} claims abandoned`;
    const what = () => `(${describeRequest(request)}) reads booking ${bookingOf(request)}: ${found()}`;
    const begun = attempt.begin(state, world.late ? DEADLINE_MS : 0, knownReleases(world.store, request, rules));
    return moved({ attempt: begun, append: null }, null, what);
  }
  if (step === null) return null;
  if (append !== null) {
    const after = afterAppend(world, append, rules);
    return answeredWith(resultOf(append.becomes, step, null), () => describeAppend(append), after);
  }
  const reply = decided(world.store, step, rules);
  if (reply.kind !== 'appends')
    return answeredWith(
      reply,
      () => `gets ${describeResult(reply)} from ${step.to === 'read' ? 'booking' : step.to} ${step.id}`,
    );
  return moved({ attempt, append: reply.append }, null, () => decision(reply.append));
}

/** A node reads the stream and decides; an answer without an append is final. */
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
    case 'spending':
      throw new Error('no key has limits here');
    default:
      return unreachable(step);
  }
}

function replied(stream: AnyStream, step: Step, handled: Handled<'allotment'> | Handled<'booking'> | Handled<'guest'>) {
  return handled.kind === 'answers' ? resultOf(stream, step, handled.rejection) : handled;
}

/** The step result that a driver makes of the entity's answer. */
function resultOf(
  stream: AnyStream,
  step: Step,
  rejection: AllotmentRejection | BookingRejection | GuestRejection | null,
): StepResult {
  if (rejection !== null) return { kind: 'rejected', rejection };
  if (stream.kind !== 'allotment' || step.to !== 'allotment') return { kind: 'done' };
  if (stream.state.status === 'unopened') throw new Error('an unopened allotment accepted a claim');
  return claimedBy(stream.state, step.command);
}

/** Number of the allotment's releases that the node of a request has seen before it reads the booking. */
function knownReleases(store: Store, request: Request, { knowsReleases }: Rules): number {
  return knowsReleases && request.kind === 'book'
    ? releasesOf(store.stream('allotment', allotmentOf(request.on)).state)
    : 0;
}

function bookingOf(request: Request): string {
  if ('booking' in request) return request.booking;
  throw new Error(`a request to ${request.kind} reads no booking`);
}

/** The moves of reapers: an erasure runs at once, an append is decided first. */
function reaperStarts(world: World): Move[] {
  const { store, late, reapers } = world;
  const starts: Move[] = [];
  const idle = reapers.indexOf(null);
  for (const { command, seen } of late ? store.dueLate : store.dueEarly) {
    const who = () => `a reaper that has seen ${seen} of ${store.log.length} events`;
    if (command.type === 'EraseGuest') {
      const guest = store.stream('guest', guestId(command.claimId));
      if (guest.erased) continue;
      const after = withStore(world, store.erase(guest), guest);
      starts.push({ describe: () => `${who()} erases guest ${guest.name}`, world: after, execution: null });
    } else if (idle >= 0) {
      const append = reaperDecides(store, command);
      if (append === null) continue;
      const after = { ...world, reapers: reapers.with(idle, append) };
      starts.push({ describe: () => `${who()} ${decision(append)}`, world: after, execution: null });
    }
  }
  return starts;
}

/** The append of a reaper's command in this store; null for none. */
export function reaperDecides(
  store: Store,
  command: Exclude<ReapClaimsCommand, { type: 'EraseGuest' }>,
): Append | null {
  const handled =
    command.type === 'AbandonClaim'
      ? store.stream('booking', command.bookingId).handle(command)
      : store.stream('allotment', command.allotmentId).handle(command);
  return handled.kind === 'appends' ? handled.append : null;
}

/** The world after an append: at the revision it was decided on, or at any if the rules ignore the expected revision. */
function afterAppend(world: World, append: Append, { expectedRevision }: Rules): World {
  if (expectedRevision) return withStore(world, world.store.with(append), append.on);
  return { ...world, store: world.store.with(anywhere(world.store, append)) };
}

/**
 * The world after a stream has changed. Any other append decided on its previous state can now only fail with a wrong
 * revision, which affects only its own process; so it fails at once, and its process reads again. A node that decides on
 * an older, cached state behaves the same: it fails, or reads again before it answers. Rounds are not counted: an entity
 * that stops after some of them is a request that stops, and any request may.
 */
function withStore(world: World, store: Store, { kind, name }: AnyStream): World {
  const lost = (append: Append | null) => append?.kind === kind && append.on.name === name;
  return {
    ...world,
    store,
    executions: world.executions.map((execution) =>
      lost(execution.append) ? { ...execution, append: null } : execution,
    ),
    reapers: world.reapers.map((append) => (lost(append) ? null : append)),
  };
}

/** The same events, appended to the current stream. */
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

function describeAppend({ kind, on, events }: Append): string {
  return `appends ${events.map(spelled).join(', ')} to ${kind} ${on.name}`;
}

function spelled({ type, data }: Append['events'][number]): string {
  if ('claim' in data) return `${type} ${data.claim}`;
  if ('hold' in data) return `${type} ${data.hold}`;
  return 'claims' in data ? `${type} with ${data.claims.map(({ id }) => id).join(', ')}` : type;
}

/** A step result in a few words. */
export function describeResult(result: StepResult): string {
  if (result.kind === 'rejected') return result.rejection.code;
  if (result.kind !== 'read') return result.kind;
  const { status, abandoned } = result.booking;
  return `${status === 'none' ? 'it does not exist' : 'it exists'}, ${abandoned.length} claims abandoned,`;
}

function answer({ outcome }: Attempt): string {
  return outcome === null ? '' : ` and answers ${outcome.kind}`;
}
