import { test } from 'bun:test';
import { openEventStore } from '../../src/adapters/sqlite/event-store.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { checkHistories, type HistoryPlace } from './event-store/history.ts';

test('after any history, streams and log equal those of a simple model', () => checkHistories(place, 60), 20_000);

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
