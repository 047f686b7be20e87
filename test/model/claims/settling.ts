import { guestId } from '../../../src/domain/guest/guest.ts';
import { unreachable } from '../../../src/eventsourcing/message.ts';
import type { ReaperCommand, ReaperState } from '../../../src/processes/reap-claims/process-manager.ts';
import type { Reaper } from './rules.ts';
import type { Store } from './store.ts';
import { bookingsOf, slotsTaken, sum } from './tally.ts';
import type { Violation } from './violation.ts';
import { DEADLINE_MS } from './wish.ts';
import { reaperDecides } from './world.ts';

/** Rounds of a reaper's work that no world of a search needs. */
const ROUNDS = 100;
/** Commands it takes up at a time: the fewest, so that no order of them can keep one waiting for ever. */
const AT_A_TIME = 1;

/**
 * Every request has crashed, the deadline has passed, and one reaper works until it owes nothing. Since the search looks
 * at this from every world, each order of other reapers' work before it is looked at too.
 */
export function* settling(from: Store, reaper: Reaper): Generator<Violation> {
  const { store, view, rounds } = settle(from, reaper);
  if (rounds === ROUNDS || view.size > 0 || reaper.oldestOpen(view) !== null) {
    yield { invariant: 'the reaper comes to rest', detail: `${view.size} things open after ${rounds} rounds` };
  }
  const bookings = [...bookingsOf(store).values()];
  for (const [name, stream] of store.streams.allotment) {
    const taken = slotsTaken(stream);
    const refs = bookings.flatMap(({ claims }) => claims.filter(({ allotment }) => allotment === name));
    const named = sum(refs.map(({ size }) => size));
    if (taken !== named) yield { invariant: 'nothing leaks', detail: `${name}: ${taken} slots taken, ${named} booked` };
  }
  const booked = namedGuests(store);
  for (const [name, stream] of store.streams.guest) {
    if (!stream.erased && stream.events.length > 0 && !booked.has(name)) {
      yield { invariant: 'nothing leaks', detail: `guest ${name} is kept, and no booking names it` };
    }
  }
  for (const { command } of store.owedLate) {
    if (harms(store, command, booked)) {
      yield { invariant: 'a late command is harmless', detail: JSON.stringify(command) };
    }
  }
}

/** Whether a command that was owed once still does something, now that all is done. */
function harms(store: Store, command: ReaperCommand, booked: ReadonlySet<string>): boolean {
  switch (command.type) {
    case 'EraseGuest':
      return booked.has(guestId(command.claim));
    case 'AbandonClaim': {
      // That of a claim which its booking has dropped may be noted, and changes nothing.
      const { claims = [] } = bookingsOf(store).get(command.booking) ?? {};
      const relied = booked.has(guestId(command.claim)) || claims.some(({ id }) => id === command.claim);
      return relied && reaperDecides(store, command) !== null;
    }
    case 'ReleaseSlots':
    case 'ReleaseHold':
    case 'ShrinkClaim':
      return reaperDecides(store, command) !== null;
    default:
      return unreachable(command);
  }
}

type Settling = { readonly store: Store; readonly view: ReaperState };

function settle(from: Store, reaper: Reaper): Settling & { readonly rounds: number } {
  let now: Settling = { store: from, view: from.view };
  for (let rounds = 0; rounds < ROUNDS; rounds++) {
    const commands = from.due(now.view, DEADLINE_MS, AT_A_TIME);
    if (commands.length === 0) return { ...now, rounds };
    for (const command of commands) {
      const { store, view } = carriedOut(now, command, reaper);
      now = { store, view: reaper.done(view, command) };
    }
  }
  return { ...now, rounds: ROUNDS };
}

function carriedOut({ store, view }: Settling, command: ReaperCommand, reaper: Reaper): Settling {
  if (command.type === 'EraseGuest') return { store: store.erase(store.stream('guest', guestId(command.claim))), view };
  const append = reaperDecides(store, command);
  if (append === null) return { store, view };
  return {
    store: store.with(append),
    view: store.recorded(append).reduce((seen, event) => reaper.react(seen, event), view),
  };
}

/**
 * A reaper that begins again from its checkpoint has the same things open, but for what no event says: guests that it had
 * erased it may erase once more.
 */
export function* resuming(store: Store, reaper: Reaper): Generator<Violation> {
  let erasing = store.view;
  for (const { command } of store.owedLate) {
    if (command.type !== 'EraseGuest' || !store.stream('guest', guestId(command.claim)).erased) continue;
    erasing = reaper.done(erasing, command);
  }
  for (const view of [store.view, erasing]) {
    const from = reaper.oldestOpen(view);
    let resumed = reaper.initial;
    for (const event of store.log) if (from !== null && event.position >= from) resumed = reaper.react(resumed, event);
    for (const [name, item] of view.entries()) {
      if (said(resumed.get(name)) !== said(item)) {
        yield { invariant: 'a reaper resumes where it was', detail: `${name} was open, and is not so any more` };
      }
    }
    for (const [name, item] of resumed.entries()) {
      const toErase = item.kind === 'erased-guest' || (item.kind === 'claim' && item.abandoned && item.released);
      const onlyErased = toErase && store.streams.guest.get(guestId(item.claim))?.erased === true;
      if (view.get(name) === undefined && !onlyErased) {
        yield { invariant: 'a reaper resumes where it was', detail: `${name} was not open, and is now` };
      }
    }
  }
}

/** What events say of an open thing. */
function said(item: ReturnType<ReaperState['get']>): string {
  return JSON.stringify(item === undefined ? null : { ...item, position: null, erased: null });
}

/** Guest streams that a booking names whose guest was not asked to be forgotten. */
function namedGuests(store: Store): ReadonlySet<string> {
  const bookings = [...bookingsOf(store).values()].filter(({ erased }) => !erased);
  return new Set(bookings.flatMap(({ records }) => records.map(({ claim }) => claim)));
}
