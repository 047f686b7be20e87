import type { ActivityId, LocalDate, VenueId } from '../../../src/domain/activity/activity.ts';
import type { AllotmentCommand } from '../../../src/domain/allotment/commands.ts';
import { allotmentDecider } from '../../../src/domain/allotment/decider.ts';
import type { AllotmentEvent } from '../../../src/domain/allotment/events.ts';
import type { Allotment } from '../../../src/domain/allotment/state.ts';
import { bookingDecider } from '../../../src/domain/booking/decider.ts';
import type { BookingEvent } from '../../../src/domain/booking/events.ts';
import type { Booking } from '../../../src/domain/booking/state.ts';
import { type ClaimParts, claimedBy, type Step, type StepResult } from '../../../src/domain/booking/workflow-step.ts';
import { type GuestEvent, guestDecider, guestId } from '../../../src/domain/guest/guest.ts';
import { type HoldCommand, type HoldEvent, holdDecider } from '../../../src/domain/hold/hold.ts';
import { spendingChanges } from '../../../src/domain/spending/booking-changes.ts';
import { spendingDecider } from '../../../src/domain/spending/decider.ts';
import { type Money, type Spending, type SpendingEvent, spendingIdOf } from '../../../src/domain/spending/spending.ts';
import { type Decider, fold } from '../../../src/eventsourcing/decider.ts';
import { type DomainEvent, type Recorded, unreachable } from '../../../src/eventsourcing/message.ts';
import {
  type ReapClaimsCommand,
  type ReapClaimsState,
  reapClaims,
} from '../../../src/processes/reap-claims/process-manager.ts';
import {
  type SettleSpendingCommand,
  type SettleSpendingState,
  settleSpending,
} from '../../../src/processes/settle-spending/process-manager.ts';
import { allotment as allotmentOf, claimId } from '../../support/examples.ts';
import { recorder } from '../../support/recorded.ts';
import { roomFor } from '../../support/room.ts';

/** More rounds of the reaper than any test needs. */
const ROUNDS = 100;

/** A step of a flow; a hold also writes to its own stream. */
export type SystemStep = Step | { readonly to: 'hold'; readonly id: string; readonly command: HoldCommand };
export type Flow<Outcome> = Generator<SystemStep, Outcome, StepResult>;

/** A request that runs only in `go` and `end`; one that is never resumed has crashed. */
export type Paused<Outcome> = {
  /** Runs up to this number of steps. */
  go(steps: number): Paused<Outcome>;
  /** Runs to the end. */
  end(): Outcome;
  /** Null before the end. */
  readonly outcome: Outcome | null;
};

/**
 * Streams in memory, with the real deciders and the real reaper. Every step is one append. Time passes and the reaper runs
 * only when a test says so.
 */
export type System = {
  nowMs: number;
  /** The day's limit of the key on its spending; null for none. */
  dayTotal: Money | null;
  begin<Outcome>(flow: Flow<Outcome>): Paused<Outcome>;
  /** The state of a stream. */
  booking(id: string): Booking;
  allotment(id: string): Allotment;
  /** The key's spending of a day. */
  spending(id: string): Spending;
  /** The events of all streams of a category, by id; without erased streams. */
  readonly streams: {
    readonly allotment: ReadonlyMap<string, readonly AllotmentEvent[]>;
    readonly booking: ReadonlyMap<string, readonly BookingEvent[]>;
    readonly guest: ReadonlyMap<string, readonly GuestEvent[]>;
    readonly spending: ReadonlyMap<string, readonly SpendingEvent[]>;
  };
  /** The events of all guest streams, by id; with those of erased streams. */
  readonly recorded: ReadonlyMap<string, readonly GuestEvent[]>;
  /** The reaper's due commands, oldest first. */
  due(): readonly ReapClaimsCommand[];
  /** Runs a command of a reaper, even one that is late. */
  execute(command: ReapClaimsCommand): void;
  /** Runs the reaper until nothing is due. */
  reap(): void;
  /** Runs the process manager that settles the spending until nothing is due. `from`: as one that has just started. */
  settle(from?: 'start'): void;
  /** Number of events. */
  readonly length: number;
};

export function createSystem(): System {
  const record = recorder();
  const allotments = new Map<string, readonly AllotmentEvent[]>();
  const bookings = new Map<string, readonly BookingEvent[]>();
  const guests = new Map<string, readonly GuestEvent[]>();
  const recorded = new Map<string, readonly GuestEvent[]>();
  const holds = new Map<string, readonly HoldEvent[]>();
  const spendings = new Map<string, readonly SpendingEvent[]>();
  const log: Recorded<BookingEvent | SpendingEvent>[] = [];
  const erased = new Set<string>();
  let view: ReapClaimsState = reapClaims.initial;
  let settling: SettleSpendingState = settleSpending.initial;

  function handle<C, S, E extends DomainEvent, R>(
    streams: Map<string, readonly E[]>,
    id: string,
    decider: Decider<C, S, E, R>,
    command: C,
  ) {
    const before = streams.get(id) ?? [];
    const state = fold(decider, before);
    const decision = decider.decide(command, state);
    if (decision.kind === 'rejected') return decision;
    streams.set(id, [...before, ...decision.events]);
    return { kind: 'accepted', events: decision.events, state: fold(decider, decision.events, state) } as const;
  }
  function seen(stream: string, events: readonly (AllotmentEvent | BookingEvent)[]): void {
    for (const event of events) {
      const logged = record<AllotmentEvent | BookingEvent>(stream, event);
      view = reapClaims.react(view, logged);
      if (stream.startsWith('booking-')) toSettle(logged as Recorded<BookingEvent>);
    }
  }
  function toSettle(event: Recorded<BookingEvent | SpendingEvent>): void {
    log.push(event);
    settling = settleSpending.react(settling, event);
  }
  function toAllotment(id: string, command: AllotmentCommand): StepResult {
    const handled = handle(allotments, id, allotmentDecider, command);
    if (handled.kind !== 'accepted') return handled;
    seen(`allotment-${id}`, handled.events);
    if (handled.state.status === 'unopened') return { kind: 'done' };
    return claimedBy(handled.state, command);
  }
  function perform(step: SystemStep): StepResult {
    switch (step.to) {
      case 'allotment':
        return toAllotment(step.id, step.command);
      case 'read':
        return { kind: 'read', booking: fold(bookingDecider, bookings.get(step.id) ?? []) };
      case 'guest': {
        if (erased.has(step.id)) return { kind: 'erased' };
        const handled = handle(guests, step.id, guestDecider, step.command);
        recorded.set(step.id, guests.get(step.id) ?? []);
        return handled.kind === 'accepted' ? { kind: 'done' } : handled;
      }
      case 'spending': {
        const handled = handle(spendings, step.id, spendingDecider, step.command);
        if (handled.kind !== 'accepted') return handled;
        for (const event of handled.events) toSettle(record<SpendingEvent>(`spending-${step.id}`, event));
        return { kind: 'done' };
      }
      case 'hold': {
        const handled = handle(holds, step.id, holdDecider, step.command);
        // The code that callers receive.
        if (handled.kind === 'rejected') return { kind: 'rejected', rejection: { code: 'IDEMPOTENCY_KEY_REUSED' } };
        return handled.kind === 'accepted' ? { kind: 'done' } : handled;
      }
      case 'booking': {
        const handled = handle(bookings, step.id, bookingDecider, step.command);
        if (handled.kind !== 'accepted') return handled;
        seen(`booking-${step.id}`, handled.events);
        return { kind: 'done' };
      }
      default:
        return unreachable(step);
    }
  }
  function execute(command: ReapClaimsCommand): void {
    if (command.type === 'EraseGuest') {
      guests.delete(guestId(command.claimId));
      erased.add(guestId(command.claimId));
    } else if (command.type === 'AbandonClaim') {
      perform({ to: 'booking', id: command.bookingId, command });
    } else {
      toAllotment(command.allotmentId, command);
    }
    if (isDone(command)) view = reapClaims.done(view, command);
  }
  /** Whether the runner reports the command as done, since no event will record it. */
  function isDone(command: ReapClaimsCommand): boolean {
    if (command.type !== 'AbandonClaim') return command.type === 'EraseGuest';
    return system.booking(command.bookingId).abandoned.includes(command.claimId);
  }
  /** Like the runner in src/processes/settle-spending/run.ts. */
  function settleOne(command: SettleSpendingCommand): void {
    const ofBooking = log.filter(({ stream }) => stream === `booking-${command.booking}`) as Recorded<BookingEvent>[];
    const at = new Date(system.nowMs).toISOString();
    if (command.type === 'EaseSpending') {
      const id = spendingIdOf(command.keyId, command.at);
      for (const { amountMinor, at: changedAt, ...change } of spendingChanges(ofBooking)) {
        if (amountMinor >= 0 || spendingIdOf(command.keyId, changedAt) !== id) continue;
        const eased = { ...change, amountMinor: -amountMinor, booking: command.booking, at: changedAt };
        perform({ to: 'spending', id, command: { type: 'Ease', ...eased } });
      }
    } else {
      const { booking, claim: claimed, allotment, spending } = command;
      const named = ofBooking.some(({ data }) => 'claims' in data && data.claims.some(({ id }) => id === claimed));
      if (!named) {
        const abandon = { type: 'AbandonClaim', claimId: claimed, allotmentId: allotment } as const;
        if (perform({ to: 'booking', id: booking, command: abandon }).kind !== 'done') return;
        perform({ to: 'spending', id: spending, command: { type: 'Release', claim: claimed, at } });
        return;
      }
    }
    settling = settleSpending.done(settling, command);
  }
  const system: System = {
    nowMs: 0,
    dayTotal: null,
    begin<Outcome>(flow: Flow<Outcome>): Paused<Outcome> {
      let turn = flow.next();
      const paused: Paused<Outcome> = {
        go(steps) {
          for (let step = 0; step < steps && !turn.done; step++) turn = flow.next(perform(turn.value));
          return paused;
        },
        end() {
          while (!turn.done) turn = flow.next(perform(turn.value));
          return turn.value;
        },
        get outcome() {
          return turn.done ? turn.value : null;
        },
      };
      return paused;
    },
    booking: (id) => fold(bookingDecider, bookings.get(id) ?? []),
    allotment: (id) => fold(allotmentDecider, allotments.get(id) ?? []),
    spending: (id) => fold(spendingDecider, spendings.get(id) ?? []),
    streams: { allotment: allotments, booking: bookings, guest: guests, spending: spendings },
    recorded,
    due: () => reapClaims.due(view, system.nowMs, roomFor(1_000)),
    execute,
    reap() {
      for (let round = 0; system.due().length > 0; round++) {
        if (round > ROUNDS) throw new Error(`the reaper does not finish: ${JSON.stringify(system.due())}`);
        for (const command of system.due()) execute(command);
      }
    },
    settle(from) {
      if (from === 'start')
        settling = log.reduce((folded, event) => settleSpending.react(folded, event), settleSpending.initial);
      const due = () => settleSpending.due(settling, system.nowMs, roomFor(1_000));
      for (let round = 0; due().length > 0; round++) {
        if (round > ROUNDS) throw new Error(`the spending is never settled: ${JSON.stringify(due())}`);
        for (const command of due()) settleOne(command);
      }
    },
    get length() {
      const all = [allotments, bookings, guests, holds, spendings].flatMap((streams) => [...streams.values()]);
      return all.reduce((sum, events) => sum + events.length, 0);
    },
  };
  return system;
}

/** A readable claim id of all parts. */
export function claimIdOf(parts: ClaimParts) {
  const { bookingId, commandId, fingerprint, allotmentId, size, abandonments } = parts;
  return claimId(`${bookingId}.${commandId}.${fingerprint}.${allotmentId}.${size}.${abandonments}`);
}

export const RAFTING = { activity: 'rafting' as ActivityId, venue: 'river' as VenueId };

export function place(on: LocalDate) {
  return allotmentOf(`${RAFTING.activity}-${on}`);
}
