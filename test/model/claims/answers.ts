import { unreachable } from '../../../src/eventsourcing/message.ts';
import type { Attempt } from './attempt.ts';
import type { Store } from './store.ts';
import { dateSchedule, slotsTaken, toldOf } from './tally.ts';
import type { Violation } from './violation.ts';
import { fingerprintOf, placeOf, type Wish } from './wish.ts';
import type { Move } from './world.ts';

/** Of two changes at the same time one wins: each is made to the version that its request had read. */
export function* changing({ attempt, appended }: NonNullable<Move['request']>): Generator<Violation> {
  for (const { type, data } of appended?.kind === 'booking' ? appended.events : []) {
    if (type === 'BookingModified' && data.version - 1 !== attempt.planned) {
      const detail = `version ${data.version} by ${data.command}, which had read version ${attempt.planned}`;
      yield { invariant: 'a change is made to what its asker saw', detail };
    }
  }
}

/** Holds a refusal for want of room against the allotment at that moment. */
export function* refusing(store: Store, { step, told }: NonNullable<Move['request']>): Generator<Violation> {
  if (told?.kind !== 'rejected' || told.rejection.code !== 'INVENTORY_EXHAUSTED' || step?.to !== 'allotment') return;
  const { command } = step;
  const allotment = store.stream('allotment', step.id);
  const offered = 'schedule' in command ? command.schedule.capacity : 0;
  const free = (dateSchedule(allotment)?.capacity ?? offered) - slotsTaken(allotment);
  const size = 'size' in command ? command.size : 0;
  if (free >= size || free !== told.rejection.free) {
    yield { invariant: 'an answer is true', detail: `${told.rejection.free} free, though it is ${free}` };
  }
}

/** Holds an answer against what stands at the moment it is given. */
export function* answering(store: Store, { wish, outcome }: Attempt): Generator<Violation> {
  const name = spelled(wish);
  switch (outcome?.kind) {
    case undefined:
    case 'stopped':
      return;
    case 'booked':
    case 'modified':
    case 'obeyed':
      if (!isDone(store, wish)) yield { invariant: 'an answer is true', detail: `${name} is not done` };
      return;
    case 'key-reused':
      if (isDone(store, wish) || !('booking' in wish) || toldOf(store.stream('booking', wish.booking)) === null)
        yield { invariant: 'an answer is true', detail: 'no other wish is booked' };
      return;
    case 'exhausted':
    case 'hold-rejected':
      if (isDone(store, wish)) yield { invariant: 'what is done is not refused', detail: `${name} is done` };
      return;
    case 'rejected':
      // Of a wish of one step a refusal says that it has no place, which what was done before it may be the reason of.
      if (wish.kind === 'modify' && isDone(store, wish))
        yield { invariant: 'what is done is not refused', detail: `${name} is done` };
      return;
    case 'contended':
      yield { invariant: 'no attempt is contended', detail: name };
      return;
    default:
      unreachable(outcome);
  }
}

/** Whether what was wished for has come to be, and not another wish under the same Idempotency-Key. */
function isDone(store: Store, wish: Wish): boolean {
  if (wish.kind === 'hold' || wish.kind === 'let-go') {
    const { state } = store.stream('allotment', placeOf(wish.on));
    const hold = state.status === 'open' ? state.holds.get(wish.hold) : undefined;
    return wish.kind === 'hold' ? hold !== undefined : hold?.status === 'released';
  }
  const { state, events } = store.stream('booking', wish.booking);
  if (state.status === 'none') return false;
  switch (wish.kind) {
    case 'book':
      return state.facts.fingerprint === fingerprintOf(wish);
    case 'modify': {
      const known = state.modifications.get(wish.command);
      if (known !== undefined) return known.fingerprint === fingerprintOf(wish);
      // Where nothing would change, nothing is recorded.
      const { facts } = state;
      return wish.guest === null && facts.numAdults === (wish.guests ?? facts.numAdults) && facts.date === wish.on;
    }
    case 'cancel':
      return state.status === 'cancelled';
    case 'confirm':
      return events.some(({ type }) => type === 'BookingConfirmed');
    case 'reject':
      return state.status === 'rejected';
    case 'erase':
      return state.guestErased;
    default:
      return unreachable(wish);
  }
}

function spelled(wish: Wish): string {
  const of = 'booking' in wish ? wish.booking : wish.hold;
  return `${wish.kind} ${fingerprintOf(wish)} of ${of}`;
}
