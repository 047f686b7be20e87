import { Database } from 'bun:sqlite';
import { afterEach, beforeEach, describe, expect, jest, test } from 'bun:test';
import { cpSync, readdirSync, readFileSync } from 'node:fs';
import { openReadModelStore } from '../../src/adapters/sqlite/read-model-store.ts';
import type { ReadModelStore } from '../../src/ports/read-model-store.ts';
import { type TemporaryDirectory, temporaryDirectory } from '../support/temporary-directory.ts';
import { at, BOOKINGS } from './read-model-store/scene.ts';

describe('a deleted document', () => {
  let directory: TemporaryDirectory;
  let store: ReadModelStore;
  beforeEach(() => {
    directory = temporaryDirectory();
    store = openReadModelStore(directory.file('read-models.db'));
  });
  afterEach(async () => {
    await store.close();
    directory.remove();
  });

  const SECRET = 'grace.hopper@navy.example';
  /** Documents of different sizes, so that pages are split, merged and chained when they are written and deleted. */
  const DOCUMENTS = Array.from({ length: 300 }, (_, n) => ({
    id: `${(n * 7919) % 300}`,
    doc: { email: `${SECRET} ${n}`, text: `${'x'.repeat((n * 37) % 900)}${n % 20 === 0 ? 'y'.repeat(9_000) : ''}` },
    position: at(1),
  }));

  /** The documents that the files hold in part. */
  function traces(): number {
    const files = readdirSync(directory.path).map((name) => readFileSync(directory.file(name), 'latin1'));
    return new Set(files.flatMap((text) => text.match(/grace\.hopper@navy\.example \d+/g) ?? [])).size;
  }

  async function filled(): Promise<void> {
    await store.ensure(BOOKINGS, []);
    const writes = DOCUMENTS.map((document) => ({ ...document, loaded: null }));
    await store.commit(BOOKINGS, writes, at(1));
  }

  async function deleteSome(ids: readonly string[]): Promise<void> {
    const writes = ids.map((id) => ({ id, doc: null, position: at(2), loaded: at(1) }));
    await store.commit(BOOKINGS, writes, at(2));
  }

  async function until(condition: () => boolean): Promise<void> {
    while (!condition()) await new Promise(setImmediate);
  }

  test('leaves no byte in the files, and neither do those before it', async () => {
    await filled();
    expect(traces()).toBe(300);
    for (let done = 0; done < 300; done += 60) {
      await deleteSome(DOCUMENTS.slice(done, done + 60).map(({ id }) => id));
      await until(() => traces() <= 300 - done - 60);
      expect(traces()).toBe(300 - done - 60);
    }
  });

  test('leaves no byte in the table of a list', async () => {
    await store.ensure(BOOKINGS, [['words[]', 'at']]);
    const documents = DOCUMENTS.map(({ id, position }) => {
      return { id, doc: { words: [`${SECRET} ${id}`, `word ${id}`], at: `T${id}` }, position };
    });
    await store.commit(
      BOOKINGS,
      documents.map((document) => ({ ...document, loaded: null })),
      at(1),
    );
    expect(traces()).toBe(300);
    await deleteSome(documents.map(({ id }) => id));
    await until(() => traces() === 0);
  });

  test('leaves none after another reader has let go of the file', async () => {
    await filled();
    const foreign = new Database(directory.file('read-models.db'));
    foreign.run('BEGIN');
    foreign.query(`SELECT count(*) FROM "${BOOKINGS}"`).get();
    await deleteSome(DOCUMENTS.map(({ id }) => id));
    expect(traces()).toBe(300);
    foreign.close();
    await until(() => traces() === 0);
  });

  test('shares a truncation of the log with those of the next quarter of a second', async () => {
    await filled();
    await store.close();
    jest.useFakeTimers();
    try {
      store = openReadModelStore(directory.file('read-models.db'));
      // The truncation of the start.
      jest.advanceTimersByTime(0);
      await deleteSome(DOCUMENTS.slice(0, 150).map(({ id }) => id));
      jest.advanceTimersByTime(249);
      expect(traces()).toBe(300);
      await deleteSome(DOCUMENTS.slice(150).map(({ id }) => id));
      jest.advanceTimersByTime(1);
      jest.advanceTimersByTime(0);
      expect(traces()).toBe(0);
    } finally {
      jest.useRealTimers();
    }
  });

  test('leaves none after the store is closed, if the log was truncated just before', async () => {
    await filled();
    await deleteSome(DOCUMENTS.map(({ id }) => id));
    await until(() => traces() === 0);
    // The store's is not the last connection, so its close does not remove the log.
    const foreign = new Database(directory.file('read-models.db'));
    foreign.query('SELECT count(*) FROM sqlite_schema').get();
    const again = { id: 'again', doc: { email: `${SECRET} 300` }, position: at(1), loaded: null };
    await store.commit(BOOKINGS, [again], at(2));
    await deleteSome([again.id]);
    expect(traces()).toBe(1);
    await store.close();
    expect(traces()).toBe(0);
    foreign.close();
  });

  test('leaves none after a start, if the process ended right after the deletion', async () => {
    await filled();
    await deleteSome(DOCUMENTS.map(({ id }) => id));
    using copy = temporaryDirectory();
    cpSync(directory.path, copy.path, { recursive: true });
    const again = openReadModelStore(copy.file('read-models.db'));
    const left = () => readdirSync(copy.path).some((name) => readFileSync(copy.file(name), 'latin1').includes(SECRET));
    expect(left()).toBe(true);
    await until(() => !left());
    await again.close();
  });

  test('in a dropped collection leaves no byte either', async () => {
    await filled();
    await store.drop(BOOKINGS);
    await store.ensure(BOOKINGS, []);
    await store.commit(BOOKINGS, [{ id: '1', doc: {}, position: at(1), loaded: null }], at(1));
    await deleteSome(['1']);
    await until(() => traces() === 0);
  });
});
