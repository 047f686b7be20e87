import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';
import type { Clock } from '../ports/clock.ts';
import type { Log } from '../ports/log.ts';
import { MAX_SNAPSHOT_LENGTH, type Snapshot, type SnapshotStore } from '../ports/snapshot-store.ts';
import type { StateForm } from './state-form.ts';

/** How long the load of a stream waits for its snapshot, and the stop for the last save. */
const STORE_MS = 1_000;
/** Snapshots that wait to be saved; one more is dropped, and its stream offers another one after as many events again. */
const MAX_WAITING = 16;

/** The state of a stream after an event. */
export type StateAfter<S> = { readonly state: S; readonly revision: number; readonly eventId: string };

/** `length`: of the encoded state, in characters. */
export type LoadedState<S> = StateAfter<S> & { readonly length: number; readonly snapshot: Snapshot };

/** Loads and saves snapshots. No fault of the store reaches a caller. */
export type Snapshots = {
  /** Null if there is none that this release can use, or the store does not answer. */
  load<S>(stream: string, form: StateForm<S>): Promise<LoadedState<S> | null>;
  /** Saves a state in the background, or drops it. `encoded` gets the length of the encoded state. */
  save<S>(stream: string, form: StateForm<S>, after: StateAfter<S>, encoded: (length: number) => void): void;
  /** Deletes a snapshot that cannot be used. */
  discard(snapshot: Snapshot, reason: string): void;
  /** Ends the save in progress and drops the waiting ones. */
  stop(): Promise<void>;
};

export function openSnapshots(context: {
  readonly store: SnapshotStore;
  readonly clock: Clock;
  readonly log: Log;
}): Snapshots {
  const { store, clock, log } = context;
  let waiting: (() => Promise<void>)[] = [];
  let saving: Promise<void> | null = null;
  let available = true;
  let stopped = false;

  /** Logs the first fault in a row. */
  function failed(fault: unknown): void {
    if (available) log.warn('snapshots are not available: long streams load slowly', { fault });
    available = false;
  }

  async function answered<T>(answer: Promise<T>): Promise<T | null> {
    try {
      const result = await answer;
      available = true;
      return result;
    } catch (fault) {
      failed(fault);
      return null;
    }
  }

  function discard(snapshot: Snapshot, reason: string): void {
    const { stream, version, revision } = snapshot;
    log.warn('snapshot ignored and deleted', { stream, version, revision, reason });
    void answered(store.remove(snapshot));
  }

  async function saveAll(): Promise<void> {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      // The answers of this turn come first.
      await nextTurn();
      await next();
    }
    saving = null;
  }

  return {
    async load(stream, form) {
      const found = await Promise.race([
        answered(store.load(stream, form.version)),
        pause(STORE_MS, null, { ref: false }),
      ]);
      if (found === null) return null;
      try {
        if (found.digest !== digestOf({ ...found, stream, version: form.version }))
          throw new Error('its content does not match its digest');
        const { revision, eventId, state } = found;
        return { state: form.decode(state), revision, eventId, length: state.length, snapshot: found };
      } catch (fault) {
        discard(found, fault instanceof Error ? fault.message : String(fault));
        return null;
      }
    },
    save(stream, form, { state, revision, eventId }, encoded) {
      const run = async (): Promise<void> => {
        try {
          const text = form.encode(state);
          encoded(text.length);
          if (text.length > MAX_SNAPSHOT_LENGTH) return;
          const content = { stream, version: form.version, revision, eventId, state: text };
          await answered(store.save({ ...content, digest: digestOf(content) }, clock.nowMs()));
        } catch (fault) {
          log.error('state of a stream cannot be stored', { stream, fault });
        }
      };
      if (stopped || waiting.length >= MAX_WAITING) return;
      waiting.push(run);
      saving ??= saveAll();
    },
    discard,
    async stop() {
      stopped = true;
      waiting = [];
      await Promise.race([saving, pause(STORE_MS, null, { ref: false })]);
    },
  };
}

/** SHA-256 of all other members: finds damage, not forgery. */
function digestOf({ stream, version, revision, eventId, state }: Omit<Snapshot, 'digest'>): string {
  return new Bun.CryptoHasher('sha256')
    .update(JSON.stringify([stream, version, revision, eventId]))
    .update(state)
    .digest('hex');
}
