import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { EventStoreDbPeer } from '../support/eventstoredb-peer.ts';
import { BUILD_MS, type FerretDb, startFerretDb } from '../support/peers/ferretdb.ts';
import { runProgram } from '../support/process.ts';
import { securePeer } from '../support/secure-eventstoredb-peer.ts';
import { type TemporaryDirectory, temporaryDirectory } from '../support/temporary-directory.ts';

const START_MS = 60_000;
const WRONG = 's3cret-but-wrong';

let documents: FerretDb;
let directory: TemporaryDirectory;
beforeAll(async () => {
  documents = await startFerretDb();
  directory = temporaryDirectory();
}, BUILD_MS);
afterAll(async () => {
  await documents?.[Symbol.asyncDispose]();
  directory?.remove();
});

/** Runs a node until it exits. */
async function serveOn(engines: { readonly EVENTSTORE_URL: string; readonly MONGODB_URL: string }) {
  const settings = {
    ...engines,
    NODE_ENV: 'test',
    HOST: '127.0.0.1',
    PORT: '0',
    DATA_DIR: directory.path,
    WAYMARK_SECRET_KEY: '5a'.repeat(32),
    WAYMARK_ADMIN_TOKEN: 'admin-token-of-nobody',
    WAYMARK_ANALYST_TOKEN: 'analyst-token-of-nobody',
  };
  const migrated = await runProgram(['migrate', 'up'], { ...settings, MONGODB_URL: documents.url });
  expect(migrated.exitCode).toBe(0);
  const { exitCode, stdout, stderr } = await runProgram(['serve'], settings);
  expect(stdout + stderr).not.toContain(WRONG);
  return { exitCode, stdout, stderr };
}

describe('a node on an EventStoreDB of another version', () => {
  test(
    'older than 24.2 exits with 1 and names the version found and the version needed',
    async () => {
      await using events = await EventStoreDbPeer.start({
        data: directory.file('older.log'),
        serverVersion: '23.10.0',
      });
      const exited = await serveOn({ EVENTSTORE_URL: events.url, MONGODB_URL: documents.url });
      const message = 'the event store is version 23.10.0; Waymark needs EventStoreDB 24.2 or later';
      expect(exited).toMatchObject({ exitCode: 1, stderr: `waymark: ${message}\n` });
      expect(exited.stdout).toContain('"version":"23.10.0","msg":"event store version"');
      expect(exited.stdout).toContain(
        `"engine":"event store","reason":"${message}","msg":"an engine refuses this node"`,
      );
      expect(exited.stdout).not.toContain('waiting for an engine');
    },
    START_MS,
  );
});

describe('a node with a wrong password', () => {
  test(
    'for EventStoreDB logs it and exits with 1, without waiting',
    async () => {
      await using events = await securePeer(directory);
      const exited = await serveOn({ EVENTSTORE_URL: events.url(WRONG), MONGODB_URL: documents.url });
      const message = 'the event store refused the user or password of EVENTSTORE_URL, or this user may not';
      expect(exited).toMatchObject({ exitCode: 1, stderr: `waymark: ${message}\n` });
      expect(exited.stdout).toMatch(/"engine":"event store","reason":"[^"]+".*"msg":"an engine refuses this node"/);
      expect(exited.stdout).not.toContain('waiting for an engine');
    },
    START_MS,
  );

  test(
    'for MongoDB does the same',
    async () => {
      await using events = await EventStoreDbPeer.start({ data: directory.file('open.log') });
      const { host } = new URL(documents.url);
      const MONGODB_URL = `mongodb://ann:${WRONG}@${host}/waymark`;
      const exited = await serveOn({ EVENTSTORE_URL: events.url, MONGODB_URL });
      expect(exited.exitCode).toBe(1);
      expect(exited.stderr).toStartWith(`waymark: MongoDB at ${host}/waymark denies access: `);
      expect(exited.stdout).toMatch(/"engine":"read models","reason":.*"msg":"an engine refuses this node"/);
      expect(exited.stdout).not.toContain('waiting for an engine');
    },
    START_MS,
  );
});
