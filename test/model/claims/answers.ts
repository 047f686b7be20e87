import { amounts } from '../../../src/domain/activity/pricing.ts';
import { guestsOf } from '../../../src/domain/booking/facts.ts';
import { unreachable } from '../../../src/eventsourcing/message.ts';
import type { Attempt } from './attempt.ts';
import { allotmentOf, fingerprintOf, type Request } from './requests.ts';
import type { Store } from './store.ts';
import { allocationsOf, bookingSummary, dateSchedule, slotsTaken } from './summaries.ts';
import type { Violation } from './violation.ts';
import type { Move } from './world.ts';

/** Checks that each modification applies to the version that its request read: of two concurrent ones, one wins. */
export function* checkModification({ attempt, appended }: NonNullable<Move['execution']>): Generator<Violation> {
  for (const { type, data } of appended?.kind === 'booking' ? appended.events : []) {
    if (type === 'BookingModified' && data.version - 1 !== attempt.planned) {
      const detail = `version ${data.version} by ${data.command}, planned on version ${attempt.planned}`;
      yield { invariant: 'a modification applies to the version it was planned on', detail };
    }
  }
}

/** Checks that a request books only at the total that it expects. */
export function* checkTotal({ attempt: { request }, appended }: NonNullable<Move['execution']>): Generator<Violation> {
  if (request.kind !== 'book' || request.expects === null) return;
  for (const { type, data } of appended?.kind === 'booking' ? appended.events : []) {
    if (type !== 'BookingConfirmed' && type !== 'BookingPlacedOnRequest') continue;
    const { totalMinor } = amounts(data.pricing, guestsOf(data));
    if (totalMinor !== request.expects) {
      const detail = `${request.booking} for ${totalMinor}, expected ${request.expects}`;
      yield { invariant: 'a booking is made only at the expected total', detail };
    }
  }
}

/** Compares a rejection for lack of room with the allotment's free slots. */
export function* checkRejection(store: Store, { step, result }: NonNullable<Move['execution']>): Generator<Violation> {
  if (result?.kind !== 'rejected' || result.rejection.code !== 'INVENTORY_EXHAUSTED' || step?.to !== 'allotment')
    return;
  const { command } = step;
  const allotment = store.stream('allotment', step.id);
  const offered = 'schedule' in command ? command.schedule.capacity : 0;
  const free = (dateSchedule(allotment)?.capacity ?? offered) - slotsTaken(allotment);
  const size = 'size' in command ? command.size : 0;
  if (free >= size || free !== result.rejection.free) {
    yield {
      invariant: 'an answer matches the stored state',
      detail: `${result.rejection.free} free reported, ${free} free`,
    };
  }
}

/** Compares an answer with the stored events at that moment. */
export function* checkAnswer(store: Store, { request, outcome }: Attempt): Generator<Violation> {
  const name = spelled(request);
  if (outcome === null) return;
  switch (outcome.kind) {
    case 'stopped':
      return;
    case 'booked':
    case 'modified':
    case 'accepted':
      if (!isDone(store, request))
        yield { invariant: 'an answer matches the stored state', detail: `${name} did not take effect` };
      return;
    case 'key-reused':
      if (isDone(store, request) || !isBooked(store, request))
        yield { invariant: 'an answer matches the stored state', detail: 'no other request is booked' };
      return;
    case 'exhausted':
    case 'price-changed':
    case 'hold-rejected':
    case 'over-limit':
    case 'over-share':
      if (isDone(store, request))
        yield { invariant: 'a request that took effect is not rejected', detail: `${name} took effect` };
      return;
    case 'rejected':
      // A repeated single-step request may be rejected because its first run took effect.
      if (request.kind === 'modify' && isDone(store, request))
        yield { invariant: 'a request that took effect is not rejected', detail: `${name} took effect` };
      return;
    case 'contended':
      yield { invariant: 'no attempt is contended', detail: name };
      return;
    default:
      unreachable(outcome);
  }
}

function isBooked(store: Store, request: Request): boolean {
  return 'booking' in request && bookingSummary(store.stream('booking', request.booking)) !== null;
}

/** Whether this request took effect, not another one with the same Idempotency-Key. */
function isDone(store: Store, request: Request): boolean {
  if (request.kind === 'hold' || request.kind === 'release-hold' || request.kind === 'set-price') {
    const stream = store.stream('allotment', allotmentOf(request.on));
    const { state } = stream;
    if (request.kind === 'set-price') return state.status === 'open' && state.setPriceMinor === request.unitPriceMinor;
    const hold = allocationsOf(stream).get(request.hold);
    return request.kind === 'hold' ? hold !== undefined : hold?.releases === 1;
  }
  const { state, events } = store.stream('booking', request.booking);
  if (state.status === 'none') return false;
  switch (request.kind) {
    case 'book':
      return state.facts.fingerprint === fingerprintOf(request);
    case 'modify': {
      const known = state.modifications.get(request.command);
      if (known !== undefined) return known.fingerprint === fingerprintOf(request);
      // A modification without a change appends no event.
      const { facts } = state;
      return (
        request.guest === null && facts.numAdults === (request.guests ?? facts.numAdults) && facts.date === request.on
      );
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
      return unreachable(request);
  }
}

function spelled(request: Request): string {
  const of = 'booking' in request ? request.booking : request.kind === 'set-price' ? request.on : request.hold;
  return `${request.kind} ${fingerprintOf(request)} of ${of}`;
}
