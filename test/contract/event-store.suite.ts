import { describe } from 'bun:test';
import { appending } from './event-store/appending.ts';
import { erasing } from './event-store/erasing.ts';
import { followingLive } from './event-store/following-live.ts';
import { reading } from './event-store/reading.ts';
import type { OpenStore } from './event-store/scene.ts';
import { subscribing } from './event-store/subscribing.ts';

/**
 * What every adapter of the port EventStore owes, written to the narrower of two engines: a file of this process, and a
 * server that others use as well, whose log holds more than what a test put there. What one engine promises beyond it
 * stands in that engine's own test.
 *
 * @param open a store for one test; `reopen` closes it and opens it on the same data
 */
export function eventStoreContract(name: string, open: OpenStore): void {
  describe(`the event store contract: ${name}`, () => {
    appending(open);
    reading(open);
    subscribing(open);
    followingLive(open);
    erasing(open);
  });
}
