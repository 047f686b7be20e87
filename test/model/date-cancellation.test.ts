import { describe, expect, test } from 'bun:test';
import { type DateCancellation, leftToCancel, runningCancellation } from '../../src/domain/allotment/cancellation.ts';
import type { AllotmentCommand } from '../../src/domain/allotment/commands.ts';
import { allotmentDecider } from '../../src/domain/allotment/decider.ts';
import type { Allotment } from '../../src/domain/allotment/state.ts';
import { type BookingWorkflowInput, bookingWorkflow, factsOf } from '../../src/domain/booking/booking-workflow.ts';
import type { BookingCommand } from '../../src/domain/booking/commands.ts';
import { dateCancellationWorkflow } from '../../src/domain/booking/date-cancellation-workflow.ts';
import { bookingDecider } from '../../src/domain/booking/decider.ts';
import type { BookingEvent } from '../../src/domain/booking/events.ts';
import { modificationWorkflow } from '../../src/domain/booking/modification-workflow.ts';
import type { Booking } from '../../src/domain/booking/state.ts';
import { claimedBy, type Step, type StepResult } from '../../src/domain/booking/workflow-step.ts';
import { ERASED, type Guest, guestDecider } from '../../src/domain/guest/guest.ts';
import type { AllotmentId, BookingId, ClaimId } from '../../src/domain/ids.ts';
import { type Decider, fold } from '../../src/eventsourcing/decider.ts';
import type { DomainEvent } from '../../src/eventsourcing/message.ts';
import { EARLY_MS } from '../support/booking-life.ts';
import {
  A_VOUCHER,
  allotment,
  aSchedule,
  bookingFacts,
  bookingId,
  claimId,
  commandId,
  date,
  fingerprint,
  ISSUED,
} from '../support/examples.ts';

const CLOSED_DATE = '2026-12-24';
const OTHER_DATE = '2026-12-26';
const HERE = allotment(`bkk-ocean-world-${CLOSED_DATE}`);
const THERE = allotment(`bkk-ocean-world-${OTHER_DATE}`);
const BOOKING = bookingId('bk_7gk2m0q9xw4t1zc8rb5n');
const STORM = commandId('STORM');
const GUESTS = 3;
const AT = new Date(EARLY_MS).toISOString();
const NO_GUARDS = { expectedTotalMinor: null, unpaid: null, spending: null };
const HOURS = { beginsAtMs: 1_798_218_000_000, opensAtMs: 1_798_250_400_000, closesAtMs: 1_798_282_800_000 };

/** What a client or the venue does meanwhile. */
type Scenario = {
  readonly name: string;
  /** Before anything else. */
  readonly before: (world: World) => void;
  /** A request, on a node of its own. */
  readonly request: (world: World) => Generator<Step, unknown, StepResult>;
  /** The kinds of ends that the search must find. */
  readonly ends: readonly string[];
};

const SCENARIOS: readonly Scenario[] = [
  {
    name: 'a booking is made on the date',
    before: () => {},
    request: () => booking({ kind: 'confirm', ...ISSUED }),
    ends: ['cancelled', 'none'],
  },
  {
    name: 'a booking on request is made on the date',
    before: () => {},
    request: () => booking({ kind: 'place-on-request', answerByMs: EARLY_MS + 1 }),
    ends: ['cancelled', 'none'],
  },
  {
    name: 'a slow booking is only started',
    before: () => {},
    request: () => started(),
    ends: ['cancelled', 'none', 'rejected'],
  },
  {
    name: 'the venue confirms a booking on request',
    before: (world) => world.book(HERE, true),
    *request() {
      yield* confirmed();
    },
    ends: ['cancelled'],
  },
  {
    name: 'a booking moves onto the date',
    before: (world) => world.book(THERE),
    request: (world) => moved(world, CLOSED_DATE),
    ends: ['cancelled', 'confirmed'],
  },
  {
    name: 'a booking moves away from the date',
    before: (world) => world.book(HERE),
    request: (world) => moved(world, OTHER_DATE),
    ends: ['cancelled', 'confirmed'],
  },
  {
    name: 'guests are added to a booking of the date',
    before: (world) => world.book(HERE),
    request: (world) => moved(world, CLOSED_DATE, GUESTS + 1),
    ends: ['cancelled'],
  },
  {
    name: 'its guest cancels a booking of the date',
    before: (world) => world.book(HERE),
    request: () => cancelledByGuest(),
    ends: ['cancelled'],
  },
];

/** Streams whose commands are decided on the current state, as an append at the expected revision guarantees. */
class World {
  readonly events: BookingEvent[] = [];
  booking: Booking = bookingDecider.initial;
  readonly allotments = new Map<AllotmentId, Allotment>();
  readonly guests = new Map<string, Guest>();
  readonly runs: Run[];

  constructor({ before, request }: Scenario) {
    before(this);
    const cancelling = () => this.#cancellation();
    // One node makes the request, and two cancel the date: each may stop anywhere.
    this.runs = [() => request(this), cancelling, cancelling].map((begin) => new Run(this, begin));
  }

  get here(): Allotment {
    return this.allotments.get(HERE) ?? allotmentDecider.initial;
  }

  close(): void {
    const schedule = aSchedule();
    const command = { commandId: STORM, fingerprint: fingerprint('FP'), reason: 'weather', at: AT, schedule } as const;
    this.#handle(HERE, { type: 'CancelDate', ...command });
  }

  do(step: Step): StepResult {
    switch (step.to) {
      case 'allotment': {
        const handled = this.#handle(step.id, step.command);
        if (handled.kind === 'rejected') return handled;
        return handled.state.status === 'open' ? claimedBy(handled.state, step.command) : { kind: 'done' };
      }
      case 'guest': {
        const handled = handle(guestDecider, step.command, this.guests.get(step.id) ?? guestDecider.initial);
        if (handled.kind === 'rejected') return handled;
        this.guests.set(step.id, handled.state);
        return { kind: 'done' };
      }
      case 'booking': {
        const decision = bookingDecider.decide(step.command, this.booking);
        if (decision.kind === 'rejected') return decision;
        this.events.push(...decision.events);
        this.booking = fold(bookingDecider, decision.events, this.booking);
        return { kind: 'done' };
      }
      default:
        return { kind: 'read', booking: this.booking };
    }
  }

  /** A booking without concurrency. */
  book(on: AllotmentId, onRequest = false): void {
    const finalStep = onRequest
      ? ({ kind: 'place-on-request', answerByMs: EARLY_MS + 1 } as const)
      : ({ kind: 'confirm', ...ISSUED } as const);
    new Run(this, () => booking(finalStep, on)).finish();
  }

  /** All requests stop; the date is closed, a node cancels it to the end, and the reaper releases what nobody names. */
  settle(): void {
    this.close();
    for (let round = 0; round < 3; round++) {
      new Run(this, () => this.#cancellation()).finish();
      this.#reap();
    }
  }

  get key(): string {
    const allotments = [...this.allotments].map(([id, state]) => [id, claimsIn(state), statusOf(state)]);
    return JSON.stringify([this.events.map(({ type }) => type), allotments, this.runs.map(({ trace }) => trace)]);
  }

  *#cancellation(): Generator<Step, unknown, StepResult> {
    const { here } = this;
    const running = runningCancellation(here);
    if (here.status === 'unopened' || running === null) return;
    for (const { id, claims } of leftToCancel(here).bookings) yield* cancellationOf(id, claims, running);
    yield {
      to: 'allotment',
      id: HERE,
      command: { type: 'FinishCancellation', commandId: running.command, at: AT },
    };
  }

  #reap(): void {
    for (const [id, state] of this.allotments) {
      for (const claim of claimsIn(state)) {
        const { booking: now } = this;
        if (now.status !== 'none' && now.facts.claims.some((each) => each.id === claim)) continue;
        const abandon = { type: 'AbandonClaim', claimId: claim, allotmentId: id } as const;
        this.do({ to: 'booking', id: BOOKING, command: abandon });
        this.#handle(id, { type: 'ReleaseSlots', claimId: claim });
      }
    }
  }

  #handle(id: AllotmentId, command: AllotmentCommand) {
    const handled = handle(allotmentDecider, command, this.allotments.get(id) ?? allotmentDecider.initial);
    if (handled.kind === 'accepted') this.allotments.set(id, handled.state);
    return handled;
  }
}

/** One run of a generator, a step at a time. */
class Run {
  /** The results so far, from which the generator's state follows. */
  readonly trace: string[] = [];
  readonly #world: World;
  readonly #begin: () => Generator<Step, unknown, StepResult>;
  #generator: Generator<Step, unknown, StepResult> | null = null;
  #next: IteratorResult<Step, unknown> | null = null;

  constructor(world: World, begin: () => Generator<Step, unknown, StepResult>) {
    this.#world = world;
    this.#begin = begin;
  }

  /** False if it has ended. */
  step(): boolean {
    if (this.#generator === null || this.#next === null) {
      this.#generator = this.#begin();
      this.#next = this.#generator.next();
      this.trace.push(spelled(this.#next));
      return true;
    }
    if (this.#next.done === true) return false;
    const result = this.#world.do(this.#next.value);
    this.#next = this.#generator.next(result);
    const read = result.kind === 'read' ? this.#world.events.length : '';
    const refused = result.kind === 'rejected' ? result.rejection.code : '';
    this.trace.push(`${result.kind} ${read}${refused}, ${spelled(this.#next)}`);
    return true;
  }

  finish(): void {
    while (this.step());
  }
}

function spelled(next: IteratorResult<Step, unknown>): string {
  if (next.done === true) return 'ended';
  const { to } = next.value;
  return next.value.to === 'read' ? to : `${next.value.command.type} to ${to}`;
}

function cancellationOf(id: BookingId, claims: readonly ClaimId[], { command, reason, at }: DateCancellation) {
  return dateCancellationWorkflow({
    bookingId: id,
    allotmentId: HERE,
    claims,
    dateCommand: command,
    reason,
    closedAtMs: Date.parse(at),
    command: commandId(`STORM ${id}`),
    fingerprint: fingerprint('FP'),
    at,
  });
}

function inputOf(finalStep: BookingWorkflowInput['finalStep'], on: AllotmentId): BookingWorkflowInput {
  const { claims: _, pricing: __, guest: ___, cancellation: ____, ...facts } = bookingFacts();
  const day = date(on === HERE ? CLOSED_DATE : OTHER_DATE);
  return {
    bookingId: BOOKING,
    allotmentId: on,
    schedule: aSchedule({ date: day }),
    hotelPercentOff: 0,
    holdId: null,
    nowMs: EARLY_MS,
    guests: GUESTS,
    ...NO_GUARDS,
    guestDetails: { ...ERASED, name: 'Ada Lovelace' },
    guestFingerprint: fingerprint('GUEST1'),
    reference: null,
    facts: { ...facts, date: day, hours: HOURS },
    finalStep,
    claimDeadlineMs: EARLY_MS,
    abandonments: 0,
    releasesSeen: 0,
  };
}

const idOf = ({ allotmentId, abandonments, size }: { allotmentId: string; abandonments: number; size: number }) =>
  claimId(`${allotmentId}#${abandonments}#${size}`);

function booking(finalStep: BookingWorkflowInput['finalStep'], on = HERE) {
  return bookingWorkflow(inputOf(finalStep, on), idOf);
}

/** The workflow of a slow booking, which records BookingStarted once its slots are claimed. */
function* started(): Generator<Step, unknown, StepResult> {
  const input = inputOf({ kind: 'confirm', ...ISSUED }, HERE);
  const workflow = bookingWorkflow(input, idOf);
  let next = workflow.next();
  while (next.done !== true) {
    const step = next.value;
    const result: StepResult = yield step;
    if (step.to === 'allotment' && result.kind === 'claimed' && step.command.type === 'ClaimSlots') {
      const facts = factsOf(input, { allotment: step.id, id: step.command.claimId, size: GUESTS }, result);
      const start: BookingCommand = { type: 'Start', facts, finishByMs: EARLY_MS, answerByMs: null };
      yield { to: 'booking', id: BOOKING, command: start };
    }
    next = workflow.next(result);
  }
}

function* confirmed(): Generator<Step, unknown, StepResult> {
  const command: BookingCommand = { type: 'ConfirmByVenue', ...ISSUED, ifVersions: null, nowMs: EARLY_MS };
  yield { to: 'booking', id: BOOKING, command };
}

function* cancelledByGuest(): Generator<Step, unknown, StepResult> {
  const metadata = { commandId: commandId('GUEST'), fingerprint: fingerprint('FP'), by: 'user', at: AT } as const;
  const command: BookingCommand = {
    type: 'Cancel',
    reason: 'user_requested',
    ...metadata,
    ifVersions: null,
    nowMs: EARLY_MS,
  };
  yield { to: 'booking', id: BOOKING, command };
}

function* moved(world: World, to: string, guests = GUESTS): Generator<Step, unknown, StepResult> {
  const found = world.booking;
  if (found.status === 'none') return;
  const day = date(to);
  const metadata = { commandId: commandId('MOVE'), fingerprint: fingerprint('MOVE'), by: 'user', at: AT } as const;
  yield* modificationWorkflow(
    {
      bookingId: BOOKING,
      booking: found,
      metadata: { ...metadata, ifVersions: null, nowMs: EARLY_MS },
      move: found.facts.date === day ? null : { date: day, hours: HOURS, lastEntryMs: A_VOUCHER.validUntilMs },
      numAdults: guests - found.facts.numChildren,
      numChildren: found.facts.numChildren,
      hotelPercentOff: 0,
      ...NO_GUARDS,
      guest: null,
      schedule: aSchedule({ date: day }),
      testDay: null,
      claimDeadlineMs: EARLY_MS,
    },
    idOf,
  );
}

function handle<C, S, E extends DomainEvent, R>(decider: Decider<C, S, E, R>, command: C, state: S) {
  const decision = decider.decide(command, state);
  return decision.kind === 'rejected' ? decision : { ...decision, state: fold(decider, decision.events, state) };
}

/** The claims that are not released. */
function claimsIn(state: Allotment): readonly ClaimId[] {
  if (state.status !== 'open') return [];
  return [...state.claims.entries()].flatMap(([id, { released }]) => (released ? [] : [claimId(id)]));
}

function statusOf(state: Allotment): unknown {
  if (state.status !== 'open' || state.cancellation === null) return null;
  const { pending, cancelled, gone, refundMinor, finishedAt } = state.cancellation;
  return [pending.size, cancelled, gone, refundMinor, finishedAt];
}

/** What must hold once everything is done. */
function faultsOf({ booking: found, events, allotments, here }: World): readonly string[] {
  const faults: string[] = [];
  const count = (type: BookingEvent['type']): number => events.filter((event) => event.type === type).length;
  const active = found.status === 'processing' || found.status === 'pending' || found.status === 'confirmed';
  if (active && found.facts.claims.some(({ allotment: place }) => place === HERE))
    faults.push(`it is ${found.status} on the cancelled date`);
  if (active && found.facts.date === CLOSED_DATE) faults.push('it is booked on the cancelled date');
  if (count('BookingCancelled') > 1 || count('RefundRecorded') > 1) faults.push('it is cancelled or refunded twice');
  const cancellation = found.status === 'cancelled' ? found.cancellation : null;
  const byDate = cancellation?.command === commandId(`STORM ${BOOKING}`);
  if (byDate && found.status === 'cancelled' && found.refundedMinor !== found.chargedMinor)
    faults.push(`${found.refundedMinor} of ${found.chargedMinor} refunded`);
  const known = here.status === 'open' ? here.cancellation : null;
  if (known === null || known.finishedAt === null) faults.push('the cancellation has not finished');
  else if (
    known.cancelled !== (byDate ? 1 : 0) ||
    known.refundMinor !== (byDate ? (cancellation?.refundMinor ?? 0) : 0)
  )
    faults.push(`${known.cancelled} counted as cancelled, ${known.refundMinor} as refunded`);
  if (here.status === 'open' && here.taken !== 0) faults.push(`${here.taken} slots of the date are taken`);
  const there = allotments.get(THERE);
  const taken = there?.status === 'open' ? there.taken : 0;
  if (taken !== (active ? GUESTS : 0)) faults.push(`${taken} slots of the other date are taken`);
  return faults;
}

type Found = {
  readonly worlds: number;
  readonly ends: ReadonlySet<string>;
  /** The first fault, with a shortest way to it: numbers of runs, -1 for the closing. */
  readonly fault: { readonly faults: readonly string[]; readonly moves: readonly number[] } | null;
};

/** Visits every reachable world, breadth first, and checks each as if all requests stopped there. */
function search(scenario: Scenario): Found {
  const known = new Set<string>();
  const ends = new Set<string>();
  let layer: (readonly number[])[] = [[]];
  while (layer.length > 0) {
    const next: typeof layer = [];
    for (const moves of layer) {
      const world = worldAfter(moves, scenario);
      if (known.has(world.key)) continue;
      known.add(world.key);
      next.push(...[-1, ...world.runs.keys()].map((move) => [...moves, move]));
      world.settle();
      ends.add(world.booking.status);
      const faults = faultsOf(world);
      if (faults.length > 0) return { worlds: known.size, ends, fault: { faults, moves } };
    }
    layer = next;
  }
  return { worlds: known.size, ends, fault: null };
}

/** Generators cannot be copied, so each world is replayed from the start. */
function worldAfter(moves: readonly number[], scenario: Scenario): World {
  const world = new World(scenario);
  for (const move of moves) {
    if (move === -1) world.close();
    else world.runs[move]?.step();
  }
  return world;
}

describe('while a date is cancelled by two nodes, in every order of their steps and those of requests', () => {
  for (const scenario of SCENARIOS) {
    test(`and ${scenario.name}: no booking is left there, each is refunded once, each slot is released`, () => {
      const { worlds, ends, fault } = search(scenario);
      process.stdout.write(`${scenario.name}: ${worlds} worlds\n`);
      expect(fault).toBeNull();
      expect([...ends].sort()).toEqual([...scenario.ends]);
    }, 120_000);
  }
});
