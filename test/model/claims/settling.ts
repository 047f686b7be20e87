import { guestId } from '../../../src/domain/guest/guest.ts';
import { unreachable } from '../../../src/eventsourcing/message.ts';
import type { ReapClaimsCommand, ReapClaimsState } from '../../../src/processes/reap-claims/process-manager.ts';
import { DEADLINE_MS } from './requests.ts';
import type { Reaper } from './rules.ts';
import type { Store } from './store.ts';
import { bookingsOf, slotsTaken, sum, unpaidPlaces } from './summaries.ts';
import type { Violation } from './violation.ts';
import { reaperDecides } from './world.ts';

/** More rounds of the reaper than any world of a search needs. */
const ROUNDS = 100;
/** Commands that the reaper runs per round: the minimum, so that no order can starve one. */
const AT_A_TIME = 1;

/**
 * Checks the world in which every request has crashed, the deadline has passed, and one reaper has run until nothing is
 * due. The search does this from every world, so it covers every order of other reapers' commands before.
 */
export function* checkSettled(from: Store, reaper: Reaper): Generator<Violation> {
  const { store, view, rounds } = settle(from, reaper);
  if (rounds === ROUNDS || view.size > 0 || reaper.oldestOpen(view) !== null) {
    yield { invariant: 'the reaper finishes', detail: `${view.size} items open after ${rounds} rounds` };
  }
  const bookings = [...bookingsOf(store).values()];
  for (const [name, stream] of store.streams.allotment) {
    const taken = slotsTaken(stream);
    const refs = bookings.flatMap(({ claims }) => claims.filter(({ allotment }) => allotment === name));
    const named = sum(refs.map(({ size }) => size));
    if (taken !== named)
      yield { invariant: 'no slot or guest record leaks', detail: `${name}: ${taken} slots taken, ${named} booked` };
  }
  const paid = bookings.filter(({ confirmed }) => confirmed).flatMap(({ claims }) => claims);
  for (const { allotment, id } of paid) {
    if (unpaidPlaces(store.stream('allotment', allotment)).has(id))
      yield { invariant: 'a confirmed booking does not count as unpaid', detail: `${id} is not paid` };
  }
  const booked = namedGuests(store);
  for (const [name, stream] of store.streams.guest) {
    if (!stream.erased && stream.events.length > 0 && !booked.has(name)) {
      yield { invariant: 'no slot or guest record leaks', detail: `guest ${name} is stored, but no booking names it` };
    }
  }
  for (const { command } of store.dueLate) {
    if (harms(store, command, booked)) {
      yield { invariant: 'a late command of a reaper changes nothing', detail: JSON.stringify(command) };
    }
  }
}

/** Whether a command that was due at some time still has an effect after everything has settled. */
function harms(store: Store, command: ReapClaimsCommand, booked: ReadonlySet<string>): boolean {
  switch (command.type) {
    case 'EraseGuest':
      return booked.has(guestId(command.claimId));
    case 'AbandonClaim': {
      // The abandonment of a dropped claim may be stored; it changes nothing.
      const { claims = [] } = bookingsOf(store).get(command.bookingId) ?? {};
      const relied = booked.has(guestId(command.claimId)) || claims.some(({ id }) => id === command.claimId);
      return relied && reaperDecides(store, command) !== null;
    }
    case 'ReleaseSlots':
    case 'ReleaseHold':
    case 'ShrinkClaim':
    case 'RecordPaid':
      return reaperDecides(store, command) !== null;
    default:
      return unreachable(command);
  }
}

type Settling = { readonly store: Store; readonly view: ReapClaimsState };

function settle(from: Store, reaper: Reaper): Settling & { readonly rounds: number } {
  let now: Settling = { store: from, view: from.view };
  for (let rounds = 0; rounds < ROUNDS; rounds++) {
    const commands = from.due(now.view, DEADLINE_MS, AT_A_TIME);
    if (commands.length === 0) return { ...now, rounds };
    for (const command of commands) {
      const { store, view } = carriedOut(now, command, reaper);
      now = { store, view: isDone(store, command) ? reaper.done(view, command) : view };
    }
  }
  return { ...now, rounds: ROUNDS };
}

/** Whether the runner reports the command as done, since no event will record it. */
function isDone(store: Store, command: ReapClaimsCommand): boolean {
  if (command.type !== 'AbandonClaim') return command.type === 'EraseGuest';
  return store.stream('booking', command.bookingId).state.abandoned.includes(command.claimId);
}

function carriedOut({ store, view }: Settling, command: ReapClaimsCommand, reaper: Reaper): Settling {
  if (command.type === 'EraseGuest')
    return { store: store.erase(store.stream('guest', guestId(command.claimId))), view };
  const append = reaperDecides(store, command);
  if (append === null) return { store, view };
  return {
    store: store.with(append),
    view: store.recorded(append).reduce((seen, event) => reaper.react(seen, event), view),
  };
}

/**
 * Checks that a reaper restarted from its checkpoint has the same open items, except erasures, which no event records: it
 * may repeat them.
 */
export function* checkResumed(store: Store, reaper: Reaper): Generator<Violation> {
  let erasing = store.view;
  for (const { command } of store.dueLate) {
    if (command.type !== 'EraseGuest' || !store.stream('guest', guestId(command.claimId)).erased) continue;
    erasing = reaper.done(erasing, command);
  }
  for (const view of [store.view, erasing]) {
    const from = reaper.oldestOpen(view);
    let resumed = reaper.initial;
    for (const event of store.log) if (from !== null && event.position >= from) resumed = reaper.react(resumed, event);
    for (const [name, item] of view.entries()) {
      if (said(resumed.get(name)) !== said(item)) {
        yield {
          invariant: 'a restarted reaper has the same open items',
          detail: `${name} was open, but is not after the restart`,
        };
      }
    }
    for (const [name, item] of resumed.entries()) {
      const toErase = item.kind === 'erased-guest' || (item.kind === 'claim' && item.abandoned && item.released);
      const onlyErased = toErase && store.streams.guest.get(guestId(item.claimId))?.erased === true;
      if (view.get(name) === undefined && !onlyErased) {
        yield {
          invariant: 'a restarted reaper has the same open items',
          detail: `${name} was not open, but is after the restart`,
        };
      }
    }
  }
}

/** An open item, as far as events determine it. */
function said(item: ReturnType<ReapClaimsState['get']>): string {
  return JSON.stringify(item === undefined ? null : { ...item, position: null, erased: null });
}

/** Guest streams of bookings whose guest was not erased. */
function namedGuests(store: Store): ReadonlySet<string> {
  const bookings = [...bookingsOf(store).values()].filter(({ erased }) => !erased);
  return new Set(bookings.flatMap(({ records }) => records.map(({ claim }) => claim)));
}
