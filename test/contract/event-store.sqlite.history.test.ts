import { test } from 'bun:test';
import { openEventStore } from '../../src/adapters/sqlite/event-store.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { type HistoryPlace, historiesAreTold } from './event-store/history.ts';

test(
  'whatever happened, streams and log tell it as the simplest model does',
  () => historiesAreTold(place, 60),
  20_000,
);

async function place(): Promise<HistoryPlace> {
  const directory = temporaryDirectory();
  const path = directory.file('events.db');
  let store = openEventStore(path);
  return {
    store,
    async reopen() {
      await store.close();
      store = openEventStore(path);
      return store;
    },
    async settle() {},
    async [Symbol.asyncDispose]() {
      await store.close();
      directory.remove();
    },
  };
}
