import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { copyFileSync } from 'node:fs';
import { MongoClient } from 'mongodb';
import { NO_STREAM } from '../../src/ports/event-store.ts';
import { dateAhead } from '../chaos/kill/catalogue.ts';
import type { BookingData } from '../chaos/kill/wire.ts';
import { connected } from '../contract/event-store/remote.ts';
import { newEvent } from '../contract/event-store/scene.ts';
import { BUILD_MS, startFerretDb } from '../support/peers/ferretdb.ts';
import { runProgram } from '../support/process.ts';
import { type TemporaryDirectory, temporaryDirectory } from '../support/temporary-directory.ts';
import { ADMIN, call, type Headers, keyKnownTo, listedBookings, readiness, ready, until, wish } from './client.ts';
import { ADMIN_TOKEN, type Cluster, type ClusterNode, startCluster } from './cluster.ts';

const START_MS = 120_000;
const READY_MS = 60_000;
const NO_POSITION = `${2n ** 64n - 1n}/${2n ** 64n - 1n}`;

let cluster: Cluster;
let directory: TemporaryDirectory;
beforeAll(async () => {
  // Builds FerretDB before the tests, so that their time does not include it.
  await (await startFerretDb())[Symbol.asyncDispose]();
  directory = temporaryDirectory();
}, BUILD_MS);
afterAll(() => directory.remove());
beforeEach(async () => {
  cluster = await startCluster();
}, START_MS);
afterEach(() => cluster[Symbol.asyncDispose](), START_MS);

async function book(node: ClusterNode, headers: Headers, day: number): Promise<string> {
  const body = wish(cluster.sale.large[0] ?? '', dateAhead(cluster.sale, day));
  const { status, data } = await call<BookingData>(node, '/api/b2a/execute_booking', { headers, body });
  expect(status).toBe(200);
  return data.booking_id;
}

/** Resolves when the bookings are listed. */
async function untilListed(node: ClusterNode, headers: Headers, bookings: readonly string[]): Promise<void> {
  await until('the bookings are listed', READY_MS, async () => {
    const ids = await listedBookings(node, headers);
    return bookings.every((id) => ids.includes(id));
  });
}

/** A node, a key, and a listed booking. */
async function withBooking() {
  const node = await cluster.start('all');
  const headers = await keyKnownTo([node]);
  const booking = await book(node, headers, 1);
  await untilListed(node, headers, [booking]);
  return { node, headers, booking };
}

/** Copies the log. */
async function backUp(name: string): Promise<string> {
  const copy = directory.file(name);
  cluster.events.pause();
  copyFileSync(cluster.events.data, copy);
  cluster.events.resume();
  return copy;
}

async function restore(copy: string): Promise<void> {
  await cluster.events.kill();
  copyFileSync(copy, cluster.events.data);
  await cluster.events.restart();
}

function rebuildAll(settings: Readonly<Record<string, string>> = {}) {
  return runProgram(['rebuild', 'all'], {
    EVENTSTORE_URL: cluster.events.url,
    MONGODB_URL: cluster.documents.url,
    WAYMARK_SECRET_KEY: '5a'.repeat(32),
    DATA_DIR: directory.file('command'),
    ...settings,
  });
}

describe('a log restored from an older backup, while the read models are newer', () => {
  test(
    'is detected at the start: the node answers 503, readyz names the command, and the command repairs it',
    async () => {
      const { node: before, headers, booking: kept } = await withBooking();
      const older = await backUp('at-start.log');
      const lost = await book(before, headers, 2);
      await untilListed(before, headers, [kept, lost]);
      await before.program.terminate();
      await restore(older);

      const program = cluster.begin('all');
      const waiting = await program.stdout.line(/"url":"([^"]+)".*"msg":"waiting for an engine"/);
      const url = waiting?.[1] ?? '';
      const { status, text } = await readiness({ url });
      expect(status).toBe(503);
      expect(text).toMatch(/read model \S+ is not of this log: .*run: waymark rebuild all/);
      expect((await fetch(`${url}/api/b2a/bookings`, { headers })).status).toBe(503);

      const repaired = await rebuildAll();
      expect([repaired.exitCode, repaired.stderr]).toEqual([0, '']);
      expect(repaired.stdout).toContain('collections discarded');
      const node = { roles: 'all', program, url };
      await ready(node);
      expect(await listedBookings(node, headers)).toEqual([kept]);
      const later = await book(node, headers, 3);
      await untilListed(node, headers, [kept, later]);
    },
    START_MS * 2,
  );

  test(
    'has a guest who was erased after the backup: the guest is erased again before the node serves',
    async () => {
      const { node: before, headers, booking } = await withBooking();
      const older = await backUp('before-erasure.log');
      const path = `/api/bookings/${booking}`;
      expect((await call(before, `${path}/erase`, { headers: ADMIN, body: {} })).status).toBe(200);
      await before.program.terminate();
      await restore(older);
      expect((await rebuildAll()).exitCode).toBe(0);

      const node = await cluster.start('all');
      await ready(node);
      const { data } = await call<{ user_name: string; guest_erased: boolean }>(node, path, { headers: ADMIN });
      expect([data.user_name, data.guest_erased]).toEqual(['[erased]', true]);
      const { data: own } = await call<{ items: readonly { user_name: string }[] }>(node, '/api/b2a/bookings', {
        headers,
      });
      expect(own.items.map(({ user_name }) => user_name)).toEqual(['[erased]']);
      expect(node.program.stdout.text).toContain('"msg":"erasures applied to a restored log"');
    },
    START_MS * 2,
  );

  test(
    'is detected after a reconnect: the node answers 503 until the command has repaired it',
    async () => {
      const { node, headers, booking: kept } = await withBooking();
      const older = await backUp('at-reconnect.log');
      const lost = await book(node, headers, 2);
      await untilListed(node, headers, [kept, lost]);
      await restore(older);

      await until('readyz names the command', READY_MS, async () => {
        const { status, text } = await readiness(node);
        return status === 503 && text.includes('waymark rebuild all');
      });
      expect((await fetch(`${node.url}/api/b2a/bookings/${lost}`, { headers })).status).toBe(503);
      expect(node.program.stdout.text).toContain('"msg":"node starts again"');
      expect((await rebuildAll()).exitCode).toBe(0);
      await ready(node);
      expect(await listedBookings(node, headers)).toEqual([kept]);
      const later = await book(node, headers, 3);
      await untilListed(node, headers, [kept, later]);
    },
    START_MS * 2,
  );

  test(
    'without a lost event, the command rebuilds through the running service',
    async () => {
      const { node, headers, booking: kept } = await withBooking();
      const rebuilt = await rebuildAll({ WAYMARK_ADMIN_TOKEN: ADMIN_TOKEN, WAYMARK_URL: node.url });
      expect([rebuilt.exitCode, rebuilt.stderr]).toEqual([0, '']);
      expect(rebuilt.stdout).toContain('0 documents differed from the old build');
      expect(await listedBookings(node, headers)).toEqual([kept]);
    },
    START_MS * 2,
  );
});

describe('checkpoints of 2^64-1, which an earlier release stored', () => {
  test(
    'are detected and logged at the start: read models and process managers are folded again',
    async () => {
      const { node: before, headers, booking: booked } = await withBooking();
      await before.program.terminate();
      await spoilCheckpoints();

      const node = await cluster.start('all');
      await ready(node);
      await untilListed(node, headers, [booked]);
      const later = await book(node, headers, 2);
      await untilListed(node, headers, [booked, later]);
      const lines = node.program.stdout.text
        .split('\n')
        .filter((line) => line.includes('checkpoint is not a position'));
      expect(lines.some((line) => line.includes('"collection":"bookings.v'))).toBe(true);
      expect(lines.some((line) => line.includes('"manager":"voucher-mailer"'))).toBe(true);
      expect(cluster.mails.arrived.filter(({ mail }) => mail.text?.includes(booked) ?? false).length).toBeLessThan(2);
    },
    START_MS * 2,
  );
});

/** Writes the checkpoints that an earlier release stored on an empty log. */
async function spoilCheckpoints(): Promise<void> {
  const client = await MongoClient.connect(cluster.documents.url);
  const checkpoints = client.db('waymark').collection<{ _id: string; position: string }>('_checkpoints');
  await checkpoints.updateMany({}, { $set: { position: NO_POSITION } });
  await client.close();
  const store = connected(cluster.events.url);
  for (const manager of ['voucher-mailer', 'claim-reaper', 'webhook-fan-out']) {
    const stream = `checkpoint-${manager}`;
    const revision = (await store.last(stream))?.revision ?? NO_STREAM;
    const stored = { ...newEvent({ position: NO_POSITION }), type: 'CheckpointStored.v1' };
    expect((await store.append(stream, revision, [stored])).kind).toBe('appended');
  }
  await store.close();
}

/** The collection of a projection in MongoDB. */
async function openCollection(name: string) {
  const client = await MongoClient.connect(cluster.documents.url);
  const database = client.db('waymark');
  const names = (await database.listCollections().toArray()).map((collection) => collection.name);
  const serving = names.find((each) => each.startsWith(`${name}.`));
  if (serving === undefined) throw new Error(`there is no collection of ${name}`);
  const collection = database.collection(serving);
  return {
    collection,
    indexes: () => collection.indexes(),
    deleteCheckpoint: () => database.collection<{ _id: string }>('_checkpoints').deleteOne({ _id: serving }),
    [Symbol.asyncDispose]: () => client.close(),
  };
}

describe('a checkpoint document that is deleted', () => {
  test(
    'while no node runs: the next start folds its collection again and creates its indexes',
    async () => {
      const { node: before, headers, booking: booked } = await withBooking();
      await before.program.terminate();
      await using bookings = await openCollection('bookings');
      const { collection } = bookings;
      const indexes = await bookings.indexes();
      await collection.updateMany({}, { $set: { doc: { spoiled: true } } });
      await collection.dropIndexes();
      await bookings.deleteCheckpoint();

      const node = await cluster.start('all');
      await ready(node);
      await untilListed(node, headers, [booked]);
      expect(await bookings.indexes()).toEqual(indexes);
      expect(await collection.countDocuments({ 'doc.spoiled': true })).toBe(0);
    },
    START_MS * 2,
  );

  test(
    'while a node runs: at the next event the node folds its collection again and creates its indexes',
    async () => {
      const node = await cluster.start('all');
      const headers = await keyKnownTo([node]);
      const booked = [await book(node, headers, 1)];
      await untilListed(node, headers, booked);
      await using bookings = await openCollection('bookings');
      const indexes = await bookings.indexes();
      await bookings.deleteCheckpoint();
      booked.push(await book(node, headers, 2));
      await until('the indexes are there again', READY_MS, async () => {
        const now = await bookings.indexes().catch(() => []);
        return JSON.stringify(now) === JSON.stringify(indexes);
      });
      await untilListed(node, headers, booked);
    },
    START_MS * 2,
  );
});
