import { leftToCancel } from '../../../src/domain/allotment/cancel-date.ts';
import type { DateCancellation } from '../../../src/domain/allotment/cancellation.ts';
import type { AllotmentCommand } from '../../../src/domain/allotment/commands.ts';
import { allotmentDecider } from '../../../src/domain/allotment/decider.ts';
import { type Allotment, runningCancellation } from '../../../src/domain/allotment/state.ts';
import { dateCancellationWorkflow } from '../../../src/domain/booking/date-cancellation-workflow.ts';
import { bookingDecider } from '../../../src/domain/booking/decider.ts';
import type { BookingEvent } from '../../../src/domain/booking/events.ts';
import type { Booking } from '../../../src/domain/booking/state.ts';
import { claimedBy, type Step, type StepResult } from '../../../src/domain/booking/workflow-step.ts';
import { type Guest, guestDecider } from '../../../src/domain/guest/guest.ts';
import type { AllotmentId, BookingId, ClaimId } from '../../../src/domain/ids.ts';
import { type Decider, fold } from '../../../src/eventsourcing/decider.ts';
import type { DomainEvent } from '../../../src/eventsourcing/message.ts';
import { EARLY_MS } from '../../support/booking-life.ts';
import { aSchedule, claimId, commandId, fingerprint, ISSUED } from '../../support/examples.ts';
import { AT, BOOKING, booking, HERE } from './requests.ts';

const STORM = commandId('STORM');
/** The command that cancels the booking with its date. */
export const CANCELLED_WITH_DATE = commandId(`STORM ${BOOKING}`);

/** What a client or the venue does meanwhile. */
export type Scenario = {
  readonly name: string;
  /** Before anything else. */
  readonly before: (world: World) => void;
  /** A request, on a node of its own. */
  readonly request: (world: World) => Generator<Step, unknown, StepResult>;
  /** The kinds of ends that the search must find. */
  readonly ends: readonly string[];
};

/** Streams whose commands are decided on the current state, as an append at the expected revision guarantees. */
export class World {
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
    command: CANCELLED_WITH_DATE,
    fingerprint: fingerprint('FP'),
    at,
  });
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
