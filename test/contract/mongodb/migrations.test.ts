import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { MIGRATIONS } from '../../../migrations/index.ts';
import type { Migration } from '../../../migrations/migration.ts';
import {
  assertMigrated,
  DatabaseNotMigrated,
  MigrationInterrupted,
  migrate,
  migrationStatus,
} from '../../../migrations/run.ts';
import { LEASES, POINTERS, USAGE } from '../../../src/adapters/mongodb/collection-names.ts';
import type { Database } from '../../../src/adapters/mongodb/database.ts';
import { openLeases } from '../../../src/adapters/mongodb/leases.ts';
import { openMongoStores } from '../../../src/app/mongo-stores.ts';
import { withLease } from '../../../src/runtime/lease.ts';
import { NodeLeases } from '../../../src/runtime/node-leases.ts';
import { movedClock } from '../../support/clock.ts';
import { faultOf } from '../../support/fault.ts';
import { rightClock } from '../../support/leases.ts';
import { collectedLog } from '../../support/log.ts';
import { runProgram } from '../../support/process.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { KEY, LIMITS, NOON } from '../rate-limiter/scene.ts';
import { BOOKINGS } from '../read-model-store/scene.ts';
import { mongoServers, type TestDatabase } from './servers.ts';

const IDS = MIGRATIONS.map(({ id }) => id);

test('are numbered from 1 on, in the order in which they run', () => {
  expect(IDS.length).toBeGreaterThan(0);
  expect(IDS.map((id) => id.slice(0, 5))).toEqual(IDS.map((_, n) => `${String(n + 1).padStart(4, '0')}-`));
});

for (const server of mongoServers()) {
  describe(`migrations: ${server.name}`, () => {
    let place: TestDatabase;
    let database: Database;
    const clock = movedClock();

    beforeEach(async () => {
      place = server.empty();
      database = await place.open();
    });
    afterEach(() => place.remove());

    async function migrated(
      migrations?: readonly Migration[],
      signal = new AbortController().signal,
    ): Promise<string[]> {
      const applied: string[] = [];
      const run = { clock, signal, applied: (id: string) => applied.push(id), ...(migrations && { migrations }) };
      await migrate(database, run);
      return applied;
    }

    const collections = async (): Promise<unknown[]> =>
      (await database.db.listCollections().toArray()).map(({ name }) => name).sort();

    test('create what the stores need, once', async () => {
      expect(await migrated()).toEqual(IDS);
      expect(await collections()).toEqual([
        '_checkpoints',
        '_erasures',
        '_exposure',
        '_key_last_use',
        '_key_use',
        '_leases',
        '_mails',
        '_migrations',
        '_pointers',
        '_snapshots',
        '_usage',
      ]);
      const indexes = await database.db.collection(USAGE).listIndexes().toArray();
      expect(indexes.map(({ name }) => name as unknown)).toEqual(['_id_', 'lastDay']);
      clock.advance(1_000);
      expect(await migrated()).toEqual([]);
      expect(await migrationStatus(database)).toEqual(
        IDS.map((id) => ({ id, atMs: clock.nowMs() - 1_000, known: true })),
      );
    });

    test('may be repeated, also on a database that was used without them', async () => {
      await database.db
        .collection<{ _id: string }>(POINTERS)
        .insertOne({ _id: 'bookings.v1', target: BOOKINGS } as never);
      await migrated();
      const before = await collections();
      await database.db.collection('_migrations').deleteMany({});
      expect(await migrated()).toEqual(IDS);
      expect(await collections()).toEqual(before);
      expect(await database.db.collection(POINTERS).countDocuments()).toBe(1);
    });

    test('make servers with validators check the writes of other tools', async () => {
      await migrated();
      const checks = server.name !== 'FerretDB';
      const broken = database.db
        .collection(LEASES)
        .insertOne({ holder: 5 })
        .then(
          () => 'written',
          () => 'refused',
        );
      expect(await broken).toBe(checks ? 'refused' : 'written');
    });

    test('a failed one is not recorded, earlier ones are, and the next run continues with it', async () => {
      let fails = true;
      const migrations: Migration[] = [
        { id: '0001-first', up: (schema) => schema.index('a', ['x']) },
        {
          id: '0002-second',
          async up(schema) {
            await schema.index('a', ['y', 'x']);
            if (fails) throw new Error('no room on the disk');
          },
        },
        { id: '0003-third', up: (schema) => schema.index('a', ['z']) },
      ];
      expect(await faultOf(() => migrated(migrations))).toEqual(new Error('no room on the disk'));
      const pending = (await migrationStatus(database, migrations)).filter(({ atMs }) => atMs === null);
      expect(pending.map(({ id }) => id)).toEqual(['0002-second', '0003-third']);
      fails = false;
      expect(await migrated(migrations)).toEqual(['0002-second', '0003-third']);
      const indexes = await database.db.collection('a').listIndexes().toArray();
      expect(indexes.map(({ name }) => name as unknown)).toEqual(['_id_', 'x', 'y,x', 'z']);
    });

    test('stop before the next one when the lease is lost', async () => {
      const lost = new AbortController();
      const migrations: Migration[] = [
        { id: '0001-first', up: async () => lost.abort() },
        { id: '0002-second', up: async () => {} },
      ];
      expect(await faultOf(() => migrated(migrations, lost.signal))).toEqual(new MigrationInterrupted('0002-second'));
    });

    test('two nodes migrate one after the other', async () => {
      const order: string[] = [];
      let working = 0;
      const node = async (name: string): Promise<void> => {
        const own = await place.open();
        const leases = openLeases(own, clock);
        const work = async (signal: AbortSignal): Promise<void> => {
          working++;
          order.push(`${name} begins`);
          await migrate(own, { clock, signal, applied: (id) => order.push(id) });
          order.push(`${name} ends`);
          working--;
        };
        const context = { leases, holder: name, ttlMs: 9_000, clock, clockCheck: rightClock, log: collectedLog() };
        await withLease('migrations', work, new NodeLeases(context));
      };
      let running = 2;
      const both = Promise.all(['a', 'b'].map((name) => node(name).finally(() => running--)));
      while (running > 0) {
        // Time passes only when every node waits, so that the lease does not end while one migrates.
        if (working === 0 && clock.waiting >= running) clock.advance(1_000);
        await new Promise(setImmediate);
      }
      await both;
      const [one = '', two = ''] = order[0] === 'a begins' ? ['a', 'b'] : ['b', 'a'];
      expect(order).toEqual([`${one} begins`, ...IDS, `${one} ends`, `${two} begins`, `${two} ends`]);
    });

    test('a database without them is refused with the command to run; one of a newer release is accepted', async () => {
      const open = () => openMongoStores(place.address, clock);
      expect(await faultOf(open)).toEqual(new DatabaseNotMigrated(IDS));
      expect(new DatabaseNotMigrated(['0001-a', '0002-b']).message).toBe(
        'the MongoDB database lacks 0001-a, 0002-b; run: waymark migrate up',
      );
      await migrated([...MIGRATIONS, { id: '9999-of-the-future', up: async () => {} }]);
      expect((await migrationStatus(database)).at(-1)).toEqual({
        id: '9999-of-the-future',
        atMs: clock.nowMs(),
        known: false,
      });
      await assertMigrated(database);
      const stores = await open();
      await stores.readModels.ensure(BOOKINGS, []);
      expect(await stores.readModels.collections()).toEqual([BOOKINGS]);
      expect((await stores.rateLimiter.take(KEY, LIMITS, NOON)).kind).toBe('taken');
      expect((await stores.leases.take({ name: 'a', holder: 'b', ttlMs: 1 })).kind).toBe('acquired');
      await stores.close();
      expect(await faultOf(() => stores.readModels.collections())).toBeInstanceOf(Error);
    });

    test('waymark migrate', async () => {
      using directory = temporaryDirectory();
      const { url, database: name } = place.address;
      const settings = { DATA_DIR: directory.path, MONGODB_URL: url.replace(/\/[^/?]*(?=\?|$)/, `/${name}`) };
      const pending = IDS.map((id) => `${id} pending\n`).join('');
      expect(await runProgram(['migrate', 'status'], settings)).toEqual({ exitCode: 1, stdout: pending, stderr: '' });
      expect(await runProgram(['migrate', 'up'], settings)).toEqual({
        exitCode: 0,
        stdout: `${IDS.map((id) => `${id} applied\n`).join('')}${IDS.length} applied\n`,
        stderr: '',
      });
      expect((await runProgram(['migrate', 'up'], settings)).stdout).toBe('nothing was pending\n');
      const { exitCode, stdout } = await runProgram(['migrate', 'status'], settings);
      expect(exitCode).toBe(0);
      expect(stdout.replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'then')).toBe(
        IDS.map((id) => `${id} applied then\n`).join(''),
      );
      expect(await runProgram(['migrate'], settings)).toMatchObject({ exitCode: 2, stdout: '' });
      expect(await runProgram(['migrate', 'up'], { DATA_DIR: directory.path })).toEqual({
        exitCode: 2,
        stdout: '',
        stderr: 'waymark migrate: set MONGODB_URL; without it nothing needs to be migrated\n',
      });
    });
  });
}
