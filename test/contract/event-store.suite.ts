import { describe } from 'bun:test';
import { appending } from './event-store/appending.ts';
import { checking } from './event-store/checking.ts';
import { erasing } from './event-store/erasing.ts';
import { followingLive } from './event-store/following-live.ts';
import { reading } from './event-store/reading.ts';
import type { OpenStore } from './event-store/scene.ts';
import { subscribing } from './event-store/subscribing.ts';

/**
 * The contract of the port EventStore, the narrower of two engines: a file of this process, and a shared server whose
 * log holds other events too. Further guarantees of one engine are in that engine's own tests.
 *
 * @param open a store for one test; `reopen` closes it and opens it on the same data
 */
export function eventStoreContract(name: string, open: OpenStore): void {
  describe(`the event store contract: ${name}`, () => {
    appending(open);
    reading(open);
    subscribing(open);
    followingLive(open);
    checking(open);
    erasing(open);
  });
}
