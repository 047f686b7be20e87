import { describe } from 'bun:test';
import { appending } from './event-store/appending.ts';
import { browsing } from './event-store/browsing.ts';
import { checking } from './event-store/checking.ts';
import { erasing } from './event-store/erasing.ts';
import { followingLive } from './event-store/following-live.ts';
import { keeping } from './event-store/keeping.ts';
import { reading } from './event-store/reading.ts';
import type { OpenStore } from './event-store/scene.ts';
import { subscribing } from './event-store/subscribing.ts';

/**
 * The contract of the port EventStore. The log may hold events of others, as on a shared server; guarantees of only one
 * engine are tested beside its adapter.
 *
 * @param open opens a store for one test
 */
export function eventStoreContract(name: string, open: OpenStore): void {
  describe(`the event store contract: ${name}`, () => {
    appending(open);
    reading(open);
    subscribing(open);
    followingLive(open);
    checking(open);
    browsing(open);
    erasing(open);
    keeping(open);
  });
}
