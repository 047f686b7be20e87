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

/** Runs a node on engines until it ends by itself. */
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
    'older than 24.2 ends with code 1, and says which version it found and which it needs',
    async () => {
      await using events = await EventStoreDbPeer.start({
        data: directory.file('older.log'),
        serverVersion: '23.10.0',
      });
      const ended = await serveOn({ EVENTSTORE_URL: events.url, MONGODB_URL: documents.url });
      const told = 'the event store is version 23.10.0; Waymark needs EventStoreDB 24.2 or later';
      expect(ended).toMatchObject({ exitCode: 1, stderr: `waymark: ${told}\n` });
      expect(ended.stdout).toContain('"version":"23.10.0","msg":"event store version"');
      expect(ended.stdout).toContain(`"engine":"event store","reason":"${told}","msg":"an engine refuses this node"`);
      expect(ended.stdout).not.toContain('waiting for an engine');
    },
    START_MS,
  );
});

describe('a node with a wrong password', () => {
  test(
    'of EventStoreDB does not wait: it says so in its log, and ends with code 1',
    async () => {
      await using events = await securePeer(directory);
      const ended = await serveOn({ EVENTSTORE_URL: events.url(WRONG), MONGODB_URL: documents.url });
      const told = 'the event store refused the user or password of EVENTSTORE_URL, or this user may not';
      expect(ended).toMatchObject({ exitCode: 1, stderr: `waymark: ${told}\n` });
      expect(ended.stdout).toMatch(/"engine":"event store","reason":"[^"]+".*"msg":"an engine refuses this node"/);
      expect(ended.stdout).not.toContain('waiting for an engine');
    },
    START_MS,
  );

  test(
    'of MongoDB does the same',
    async () => {
      await using events = await EventStoreDbPeer.start({ data: directory.file('open.log') });
      const { host } = new URL(documents.url);
      const MONGODB_URL = `mongodb://ann:${WRONG}@${host}/waymark`;
      const ended = await serveOn({ EVENTSTORE_URL: events.url, MONGODB_URL });
      expect(ended.exitCode).toBe(1);
      expect(ended.stderr).toStartWith(`waymark: MongoDB at ${host}/waymark denies access: `);
      expect(ended.stdout).toMatch(/"engine":"read models","reason":.*"msg":"an engine refuses this node"/);
      expect(ended.stdout).not.toContain('waiting for an engine');
    },
    START_MS,
  );
});
