import { describe, expect, test } from 'bun:test';
import { finishBooking } from '../../src/application/booking/finish-booking.ts';
import type { Streams } from '../../src/application/streams.ts';
import { allotmentDecider } from '../../src/domain/allotment/decider.ts';
import type { Allotment } from '../../src/domain/allotment/state.ts';
import {
  type BookingWorkflowInput,
  type BookingWorkflowOutcome,
  bookingWorkflow,
  factsOf,
} from '../../src/domain/booking/booking-workflow.ts';
import type { BookingCommand } from '../../src/domain/booking/commands.ts';
import { bookingDecider } from '../../src/domain/booking/decider.ts';
import type { BookingEvent } from '../../src/domain/booking/events.ts';
import type { BookingFacts } from '../../src/domain/booking/facts.ts';
import type { Booking } from '../../src/domain/booking/state.ts';
import { claimedBy, type Step, type StepResult } from '../../src/domain/booking/workflow-step.ts';
import { ERASED, type Guest, guestDecider, guestId } from '../../src/domain/guest/guest.ts';
import type { ClaimId } from '../../src/domain/ids.ts';
import { type Decider, fold } from '../../src/eventsourcing/decider.ts';
import type { DomainEvent } from '../../src/eventsourcing/message.ts';
import { allotment, aSchedule, bookingFacts, bookingId, claimId, fingerprint, ISSUED } from '../support/examples.ts';
import { seededIds } from '../support/ids.ts';
import { SOME_CAUSE } from '../support/recorded.ts';

const BOOKING = bookingId('bk_7gk2m0q9xw4t1zc8rb5n');
const PLACE = allotment('bkk-ocean-world-2026-12-24');
const GUESTS = 3;
const NO_GUARDS = { expectedTotalMinor: null, unpaid: null, spending: null };
const NO_CONDITIONS = { hotelPercentOff: 0, holdId: null, reference: null, releasesSeen: 0, ...NO_GUARDS };

/** A possible step of an attempt or claim, by number. A crashed attempt takes no further step. */
const MOVES = [
  ['step', 0],
  ['step', 1],
  ['start', 0],
  ['start', 1],
  ['finish', 0],
  ['decide', 0],
  ['abandon', 0],
  ['abandon', 1],
  ['release', 0],
  ['release', 1],
] as const;
type Move = (typeof MOVES)[number];

/** The bounds of the search: abandoned claims, and pending decisions of process managers. */
const MOST = { abandoned: 1, deciding: 2 };

/** Streams whose commands are decided on the current state, as an append at the expected revision guarantees. */
class World {
  readonly bookingEvents: BookingEvent[] = [];
  allotment: Allotment = allotmentDecider.initial;
  readonly guests = new Map<string, Guest | 'erased'>();
  readonly attempts: Attempt[];
  /** Commands of process managers that have not reached their stream. */
  readonly #deciding: BookingCommand[] = [];
  readonly #tools = { ids: seededIds(), catalogue: new Map() };

  constructor() {
    // The second attempt is the same request, repeated on another node.
    this.attempts = [new Attempt(this), new Attempt(this)];
  }

  get booking(): Booking {
    return fold(bookingDecider, this.bookingEvents);
  }

  do(step: Step): StepResult {
    switch (step.to) {
      case 'allotment': {
        const handled = handle(allotmentDecider, step.command, this.allotment);
        if (handled.kind === 'rejected') return handled;
        this.allotment = handled.state;
        if (handled.state.status === 'unopened') return { kind: 'done' };
        return claimedBy(handled.state, step.command);
      }
      case 'guest': {
        const state = this.guests.get(step.id) ?? guestDecider.initial;
        if (state === 'erased') return { kind: 'erased' };
        const handled = handle(guestDecider, step.command, state);
        if (handled.kind === 'rejected') return handled;
        this.guests.set(step.id, handled.state);
        return { kind: 'done' };
      }
      case 'booking': {
        const decision = bookingDecider.decide(step.command, this.booking);
        if (decision.kind === 'rejected') return decision;
        this.bookingEvents.push(...decision.events);
        return { kind: 'done' };
      }
      default:
        return { kind: 'read', booking: this.booking };
    }
  }

  async move([what, which]: Move): Promise<void> {
    switch (what) {
      case 'step':
        return this.attempts[which]?.step();
      case 'start':
        return this.attempts[which]?.start();
      case 'finish':
        return this.#deciding.length < MOST.deciding ? this.finish() : undefined;
      case 'decide':
        return this.decide();
      case 'abandon':
        return this.booking.abandoned.length < MOST.abandoned ? this.abandon(which) : undefined;
      default:
        return this.release(which);
    }
  }

  /** The process manager of unfinished bookings decides its commands. */
  async finish(): Promise<void> {
    const bookings: Pick<Streams['bookings'], 'read' | 'handle'> = {
      read: () => Promise.resolve({ kind: 'state', state: this.booking, revision: this.bookingEvents.length - 1 }),
      handle: (_id, command) => {
        this.#deciding.push(command);
        return Promise.resolve({ kind: 'unavailable', reason: 'deadline', cause: { call: 'ask' } });
      },
    };
    const guests: Pick<Streams['guests'], 'read'> = {
      read: (id) => {
        const state = this.guests.get(id) ?? guestDecider.initial;
        return Promise.resolve(state === 'erased' ? { kind: 'erased' } : { kind: 'state', state, revision: 0 });
      },
    };
    await finishBooking(BOOKING, SOME_CAUSE, 0, { streams: { bookings, guests }, ...this.#tools });
  }

  decide(): void {
    const command = this.#deciding.shift();
    if (command !== undefined) this.do({ to: 'booking', id: BOOKING, command });
  }

  /** The reaper abandons a claim past its deadline: the fence comes first. */
  abandon(which: number): void {
    const claim = this.#unreleased()[which];
    if (claim !== undefined)
      this.do({ to: 'booking', id: BOOKING, command: { type: 'AbandonClaim', claimId: claim, allotmentId: PLACE } });
  }

  /** Then it releases the slots and erases the guest's record; or releases claims that the booking dropped. */
  release(which: number): void {
    const claim = this.#unreleased()[which];
    if (claim === undefined) return;
    const { booking } = this;
    if (booking.abandoned.includes(claim)) this.guests.set(guestId(claim), 'erased');
    else if (booking.status !== 'rejected') return;
    this.do({ to: 'allotment', id: PLACE, command: { type: 'ReleaseSlots', claimId: claim } });
  }

  /** Stops all attempts, then executes pending work until none remains. */
  async settle(): Promise<void> {
    for (const attempt of this.attempts) attempt.stop();
    for (let round = 0; round < 5; round++) {
      await this.finish();
      while (this.#deciding.length > 0) this.decide();
      for (const which of this.#unreleased().keys()) this.abandon(which);
      for (const which of [...this.#unreleased().keys()].toReversed()) this.release(which);
    }
  }

  /** Equal for worlds with equal futures. */
  get key(): string {
    const { bookingEvents, attempts, guests } = this;
    const claims = this.allotment.status === 'open' ? [...this.allotment.claims.entries()] : [];
    const progress = attempts.map((attempt) => attempt.progress);
    return JSON.stringify([bookingEvents, claims, [...guests], progress, this.#deciding.map(({ type }) => type)]);
  }

  #unreleased(): readonly ClaimId[] {
    if (this.allotment.status !== 'open') return [];
    return [...this.allotment.claims.entries()].flatMap(([id, { released }]) => (released ? [] : [claimId(id)]));
  }
}

class Attempt {
  readonly #world: World;
  #generator: Generator<Step, BookingWorkflowOutcome, StepResult> | null = null;
  #next: Step | null = null;
  #claimed: BookingFacts | null = null;
  #ask: BookingWorkflowInput | null = null;
  #stopped = false;

  constructor(world: World) {
    this.#world = world;
  }

  get progress(): object {
    return [this.#stopped, this.#generator === null, this.#next, this.#claimed];
  }

  step(): void {
    if (this.#stopped) return;
    if (this.#generator === null) return this.#begin();
    const step = this.#next;
    if (step === null) return;
    const result = this.#world.do(step);
    if (step.to === 'allotment' && result.kind === 'claimed' && step.command.type === 'ClaimSlots' && this.#ask)
      this.#claimed = factsOf(this.#ask, { allotment: step.id, id: step.command.claimId, size: GUESTS }, result);
    this.#turn(this.#generator.next(result));
  }

  start(): void {
    if (this.#stopped || this.#claimed === null) return;
    const command = { type: 'Start', facts: this.#claimed, finishByMs: 0, answerByMs: null } as const;
    this.#world.do({ to: 'booking', id: BOOKING, command });
  }

  stop(): void {
    this.#stopped = true;
  }

  #begin(): void {
    const { booking } = this.#world;
    if (booking.status !== 'none') return this.stop();
    const { claims: _, pricing: __, guest: ___, cancellation: ____, ...facts } = bookingFacts();
    this.#ask = {
      bookingId: BOOKING,
      allotmentId: PLACE,
      schedule: aSchedule(),
      nowMs: 0,
      guests: GUESTS,
      ...NO_CONDITIONS,
      guestDetails: { ...ERASED, name: 'Ada Lovelace' },
      guestFingerprint: fingerprint('GUEST1'),
      facts,
      finalStep: { kind: 'confirm', ...ISSUED },
      claimDeadlineMs: 0,
      abandonments: booking.abandoned.length,
    };
    this.#generator = bookingWorkflow(this.#ask, ({ abandonments }) => claimId(`claim_${abandonments}`));
    this.#turn(this.#generator.next());
  }

  #turn(turn: IteratorResult<Step, BookingWorkflowOutcome>): void {
    this.#next = turn.done ? null : turn.value;
    if (turn.done) this.stop();
  }
}

function handle<C, S, E extends DomainEvent, R>(decider: Decider<C, S, E, R>, command: C, state: S) {
  const decision = decider.decide(command, state);
  return decision.kind === 'rejected' ? decision : { ...decision, state: fold(decider, decision.events, state) };
}

/** Invariants of a booking that no attempt works on any more. */
function faultsOf({ booking, bookingEvents, allotment: place, guests }: World): readonly string[] {
  const faults: string[] = [];
  const count = (type: BookingEvent['type']): number => bookingEvents.filter((event) => event.type === type).length;
  const confirmed = count('BookingConfirmed');
  if (booking.status === 'processing') faults.push('it is not ended');
  if (confirmed > 1 || count('ChargeRecorded') !== confirmed || count('VoucherIssued') !== confirmed)
    faults.push(`${confirmed} confirmations, ${count('ChargeRecorded')} charges, ${count('VoucherIssued')} vouchers`);
  if (confirmed + count('BookingRejected') > 1) faults.push('it has two ends');
  const taken = place.status === 'open' ? place.taken : 0;
  if (taken !== (confirmed === 1 ? GUESTS : 0)) faults.push(`${taken} slots taken, ${confirmed} confirmations`);
  if (booking.status === 'confirmed') {
    const guest = guests.get(guestId(booking.guestRecord)) ?? 'erased';
    if (guest === 'erased' || guest.status !== 'recorded') faults.push('its guest is not on record');
  }
  return faults;
}

type Found = {
  readonly worlds: number;
  readonly ends: ReadonlySet<string>;
  /** The first fault, with a shortest way to it. */
  readonly fault: { readonly faults: readonly string[]; readonly moves: readonly Move[] } | null;
};

/** Visits every reachable world, breadth first, and checks each as if all attempts stopped there. */
async function search(): Promise<Found> {
  const known = new Set([new World().key]);
  const ends = new Set<string>();
  let layer: (readonly Move[])[] = [[]];
  while (layer.length > 0) {
    const next: typeof layer = [];
    for (const before of layer) {
      for (const move of MOVES) {
        const moves = [...before, move];
        const world = await worldAfter(moves);
        if (known.has(world.key)) continue;
        known.add(world.key);
        next.push(moves);
        await world.settle();
        ends.add(world.booking.status);
        const faults = faultsOf(world);
        if (faults.length > 0) return { worlds: known.size, ends, fault: { faults, moves } };
      }
    }
    layer = next;
  }
  return { worlds: known.size, ends, fault: null };
}

/** Generators cannot be copied, so each world is replayed from the start. */
async function worldAfter(moves: readonly Move[]): Promise<World> {
  const world = new World();
  for (const move of moves) await world.move(move);
  return world;
}

describe('a slow booking that is only started', () => {
  test('ends once, with its guest recorded, in every order of its steps and those of others', async () => {
    const { worlds, ends, fault } = await search();
    expect(fault).toBeNull();
    expect([...ends].sort()).toEqual(['confirmed', 'none', 'rejected']);
    expect(worlds).toBeGreaterThan(1_000);
  }, 120_000);
});
