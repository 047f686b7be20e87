import { describe, expect, test } from 'bun:test';
import { StoreRefused } from '../../src/ports/store-refused.ts';
import { EventStoreDbPeer } from '../support/eventstoredb-peer.ts';
import { collectedLog } from '../support/log.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { connected, isAnswering } from './event-store/remote.ts';

/** The log and the fault of a node that starts on a server of this version. */
async function startedOn(serverVersion: string) {
  using directory = temporaryDirectory();
  await using server = await EventStoreDbPeer.start({ data: directory.file('log'), serverVersion });
  const log = collectedLog();
  const store = connected(server.url, { log });
  const fault = await store.checkVersion().then(
    () => null,
    (refusal: unknown) => refusal,
  );
  await store.close();
  return { fault, lines: log.lines };
}

const logged = (version: string) => ({ level: 'info', happening: 'event store version', facts: { version } }) as const;
const untested = (version: string) => ({
  level: 'warn' as const,
  happening: 'event store version is not one that Waymark is tested with',
  facts: { version, oldest: '24.2', newest: '24.10' },
});

describe('a server of version', () => {
  test.each(['24.2.0', '24.2.0.0', '24.10.4'])('%s is used, and its version is logged', async (version) => {
    expect(await startedOn(version)).toEqual({ fault: null, lines: [logged(version)] });
  });

  // A server built from source without a release number reports 0.0.0.
  test.each(['24.11.0', '25.0.0', '0.0.0'])('%s is used with a warning', async (version) => {
    expect(await startedOn(version)).toEqual({ fault: null, lines: [logged(version), untested(version)] });
  });

  test.each([
    ['23.10.0', 'is version 23.10.0'],
    ['23.10.0.0-rc1', 'is version 23.10.0.0-rc1'],
    ['', 'says no version that can be read, but ""'],
    ['unknown_version', 'says no version that can be read, but "unknown_version"'],
  ])('%p is refused; the message names the found and the required version', async (version, found) => {
    const { fault, lines } = await startedOn(version);
    const message = `the event store ${found}; Waymark needs EventStoreDB 24.2 or later`;
    expect(fault).toEqual(new StoreRefused('event store', message));
    expect(lines).toEqual([logged(version)]);
  });
});

test('a server that is replaced by another version stays in use, and the version is logged', async () => {
  using directory = temporaryDirectory();
  const data = directory.file('log');
  const log = collectedLog();
  const before = await EventStoreDbPeer.start({ data, serverVersion: '24.10.4' });
  const store = connected(before.url, { log });
  await store.checkVersion();
  for (let look = 0; look < 3; look++) expect(await isAnswering(store)).toBe(true);
  await before.kill();
  expect(await isAnswering(store)).toBe(false);
  await using after = await EventStoreDbPeer.start({ data, port: before.port, serverVersion: '23.10.0' });
  expect(after.url).toBe(before.url);
  const changeLogged = () => log.lines.length > 2;
  while (!(await isAnswering(store)) || !changeLogged()) await new Promise((resolve) => setImmediate(resolve));
  expect(log.lines).toEqual([
    logged('24.10.4'),
    { ...logged('23.10.0'), facts: { version: '23.10.0', before: '24.10.4' } },
    untested('23.10.0'),
  ]);
  await store.close();
});
