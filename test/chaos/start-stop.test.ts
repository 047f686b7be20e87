import { describe, expect, test } from 'bun:test';
import { mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import packageJson from '../../package.json' with { type: 'json' };
import { PROJECTIONS } from '../../projections/index.ts';
import { lockDataDirectory } from '../../src/adapters/sqlite/data-directory.ts';
import {
  Output,
  type Program,
  ready,
  runProgram,
  type Service,
  type Settings,
  startProgram,
  startService,
  startWithNpm,
} from '../support/process.ts';
import { type TemporaryDirectory, temporaryDirectory } from '../support/temporary-directory.ts';
import { dateAhead, type OnSale, writeCatalogue } from './kill/catalogue.ts';
import { type BookingData, send } from './kill/wire.ts';

/** Longer than a test takes on a slow core; npm is the slowest. */
const PATIENCE_MS = 60_000;
/** The service waits ten seconds for answers in progress; a stop without any is almost immediate. */
const AT_ONCE_MS = 5_000;

describe('a stop of the service', () => {
  test.each(['SIGTERM', 'SIGINT'] as const)(
    'given a request in flight and %s, answers it, accepts no other, and ends in order',
    async (signal) => {
      using room = roomFor();
      await using service = await startService(room.settings);
      const request = await begin(service, room.wish);
      const ended = await stopWith(service.program, () => service.program.signal(signal), request);
      expect(ended).toEqual({ exitCode: 0, answered: 200 });
      expectNothingLeft(service, room);

      await using again = await startService(room.settings);
      expect(await bookingOf(again, request)).toMatchObject({ kind: 'done', data: room.kept });
    },
    PATIENCE_MS,
  );

  test.each(['SIGTERM', 'SIGINT'] as const)(
    'given %s twice, as npm forwards the signal to its group, still answers first',
    async (signal) => {
      using room = roomFor();
      await using service = await startService(room.settings);
      const request = await begin(service, room.wish);
      service.program.signal(signal);
      await service.program.stdout.line(/"msg":"stopping"/);
      const ended = await stopWith(service.program, () => service.program.signal(signal), request);
      expect(ended).toEqual({ exitCode: 0, answered: 200 });
    },
    PATIENCE_MS,
  );

  test(
    'given an idle connection and no request, is immediate',
    async () => {
      using room = roomFor();
      await using service = await startService(room.settings);
      expect(await (await fetch(`${service.url}/livez`)).json()).toEqual({ success: true, data: { status: 'ok' } });
      const sinceMs = performance.now();
      expect(await service.program.terminate()).toBe(0);
      expect(performance.now() - sinceMs).toBeLessThan(AT_ONCE_MS);
      expect(service.program.stderr.text).toBe('');
    },
    PATIENCE_MS,
  );

  test(
    'given STOP_DELAY_MS, reports it at /readyz and answers requests until the delay has passed',
    async () => {
      using room = roomFor();
      await using service = await startService({ ...room.settings, STOP_DELAY_MS: '3000' });
      service.program.signal('SIGTERM');
      await service.program.stdout.line(/"msg":"stopping"/);
      expect((await fetch(`${service.url}/readyz`)).status).toBe(503);
      expect(await book(service, room.wish)).toMatchObject({ kind: 'done', data: room.kept });
      expect(await service.program.ended()).toBe(0);
    },
    PATIENCE_MS,
  );

  test(
    'during the start waits until the service has started',
    async () => {
      using room = roomFor();
      await using program = startProgram(['serve'], room.settings);
      await program.stdout.line(/"catalogue loaded"/);
      expect(await program.terminate()).toBe(0);
      lockDataDirectory(room.settings.DATA_DIR)();
    },
    PATIENCE_MS,
  );
});

describe('npm start', () => {
  test.each([
    ['SIGTERM', 'process'],
    ['SIGTERM', 'group'],
    ['SIGINT', 'group'],
  ] as const)(
    'given a request in flight, when %s comes to the %s, answers it, and leaves no process behind',
    async (signal, to) => {
      using room = roomFor();
      await using npm = startWithNpm(room.settings);
      const service = await ready(npm, room.settings);
      const request = await begin(service, room.wish);
      const ended = await stopWith(npm, () => npm.signal(signal, to), request);
      expect(ended).toEqual({ exitCode: 0, answered: 200 });
      expect(() => process.kill(-npm.pid, 0)).toThrow('ESRCH');
      expectNothingLeft(service, room);
    },
    PATIENCE_MS,
  );
});

describe('a start is refused', () => {
  test(
    'on a data directory that another process has open',
    async () => {
      using room = roomFor();
      await using service = await startService(room.settings);
      expect(await runProgram(['serve'], room.settings)).toEqual({
        exitCode: 1,
        stdout: '',
        stderr: `waymark: the data directory ${room.settings.DATA_DIR} is in use by another Waymark process; stop that one, or set DATA_DIR to a different directory\n`,
      });
      expect((await fetch(`${service.url}/livez`)).status).toBe(200);
    },
    PATIENCE_MS,
  );

  test(
    'on a port that another service uses, so that no two share its requests',
    async () => {
      using room = roomFor();
      using other = roomFor();
      await using service = await startService(room.settings);
      const { port } = new URL(service.url);
      await using second = startProgram(['serve'], { ...other.settings, PORT: port });
      expect(await second.stdout.line(/^Waymark is running/)).toBeNull();
      expect(await second.ended()).toBe(1);
      expect(second.stderr.text).toContain(`port ${port}`);
    },
    PATIENCE_MS,
  );

  test('with bad settings: one message names all of them, and nothing is written', async () => {
    using room = roomFor();
    const bad = {
      EVENTSTORE_URL: 'esdb://localhost:2113',
      MONGODB_URL: 'mysql://localhost',
      WAYMARK_ROLES: 'cook',
      LEASE_TTL_MS: '1',
      STOP_DELAY_MS: 'long',
      LOG_LEVEL: 'loud',
      CLAIM_DEADLINE_MS: '250',
      PORT: 'abc',
      WAYMARK_ADMIN_TOKEN: 'short',
      WAYMARK_ANALYST_TOKEN: 'short',
      WAYMARK_SECRET_KEY: 'short',
      WAYMARK_API_KEY: 'pk_short',
      PUBLIC_URL: 'ftp://example.com',
    };
    const { exitCode, stdout, stderr } = await runProgram(['serve'], { ...room.settings, ...bad });
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' });
    const [first, ...faults] = stderr.trimEnd().split('\n');
    expect(first).toBe('waymark: the configuration cannot be used:');
    const named = new Set(faults.map((fault) => fault.trim().split(' ')[0]));
    expect(named).toEqual(new Set(Object.keys(bad)));
    expect(faults).toHaveLength(Object.keys(bad).length);
    expect(readdirSync(room.path)).toEqual(['catalogue']);
  });

  test('with a faulty catalogue: the message has file, line and field of each fault', async () => {
    using room = roomFor();
    mkdirSync(room.file('faulty'));
    writeFileSync(room.file('faulty/bangkok.json'), '{\n  "city": "Atlantis"\n}\n');
    const settings = { ...room.settings, CATALOGUE_DIR: room.file('faulty') };
    const { exitCode, stdout, stderr } = await runProgram(['serve'], settings);
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' });
    expect(stderr).toStartWith('waymark: the catalogue cannot be used:\nbangkok.json:');
    expect(stderr).toContain('bangkok.json:2 city: "Atlantis" is not a supported city');
  });

  test('with faulty exchange rates: the message has line and field of each fault, and nothing is created', async () => {
    using room = roomFor();
    const file = room.file('rates.json');
    writeFileSync(
      file,
      '{\n  "as_of": "2026-11-01",\n  "note": "One rate, and a wrong one.",\n  "units_per_usd": 1\n}\n',
    );
    const { exitCode, stdout, stderr } = await runProgram(['serve'], { ...room.settings, EXCHANGE_RATES_FILE: file });
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' });
    expect(stderr).toBe(
      `waymark: the exchange rates cannot be used:\n${file}:4 units_per_usd: ` +
        'must be an object with THB, VND, IDR, MYR, SGD, USD, not 1\n',
    );
    expect(readdirSync(room.path).toSorted()).toEqual(['catalogue', 'rates.json']);
  });

  test('with a faulty policy of flash deals: the message has line and field of each fault, and nothing is created', async () => {
    using room = roomFor();
    const file = room.file('deals.json');
    writeFileSync(file, '{\n  "note": "No deals at all, and no steps either.",\n  "activities_percent": 0\n}\n');
    const settings = { ...room.settings, FLASH_DEALS: 'on', FLASH_DEALS_FILE: file };
    const { exitCode, stdout, stderr } = await runProgram(['serve'], settings);
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' });
    expect(stderr).toStartWith(
      `waymark: the policy of flash deals cannot be used:\n${file}:1 lasts_minutes: is missing`,
    );
    expect(readdirSync(room.path).toSorted()).toEqual(['catalogue', 'deals.json']);
  });
});

describe('waymark rebuild', () => {
  test(
    'rebuilds the bookings of a stopped service and of a running one without a difference',
    async () => {
      using room = roomFor();
      {
        await using service = await startService(room.settings);
        expect(await book(service, room.wish)).toMatchObject({ kind: 'done' });
        expect(await service.program.terminate()).toBe(0);
      }
      const stopped = await runProgram(['rebuild', 'bookings'], room.settings);
      expect({ exitCode: stopped.exitCode, stderr: stopped.stderr }).toEqual({ exitCode: 0, stderr: '' });
      expect(stopped.stdout.trimEnd().split('\n').at(-1)).toMatch(
        /^bookings: 4 events folded into bookings\.v\d+\.b2; 0 documents differed from the old build$/,
      );

      await using service = await startService(room.settings);
      expect(await book(service, room.wish)).toMatchObject({ kind: 'done' });
      const running = await runProgram(['rebuild', 'bookings'], room.settings);
      expect({ exitCode: running.exitCode, stderr: running.stderr }).toEqual({ exitCode: 0, stderr: '' });
      expect(running.stdout).toMatch(/bookings\.v\d+\.b3/);
      const line = await service.program.stdout.line(/^\{.*"projection rebuilt"\}$/);
      expect(JSON.parse(line?.[0] ?? '{}')).toMatchObject({ projection: 'bookings', events: 8, differences: 0 });
    },
    PATIENCE_MS,
  );

  test('refuses an unknown projection and changes nothing', async () => {
    using room = roomFor();
    const { exitCode, stdout, stderr } = await runProgram(['rebuild', 'nonsense'], room.settings);
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    const names = PROJECTIONS.map(({ name }) => name).join(', ');
    expect(stderr).toBe(`waymark rebuild: PROJECTION must be one of ${names}, all; it is "nonsense"\n`);
    expect(readdirSync(room.path)).toEqual(['catalogue']);
  });
});

describe('the command line', () => {
  test.each(['version', '--version'])('%s prints the version', async (command) => {
    using room = roomFor();
    const said = { exitCode: 0, stdout: `${packageJson.version}\n`, stderr: '' };
    expect(await runProgram([command], room.settings)).toEqual(said);
  });

  test.each(['help', '--help'])('%s prints the commands', async (command) => {
    using room = roomFor();
    const { exitCode, stdout, stderr } = await runProgram([command], room.settings);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    for (const name of ['serve', 'rebuild', 'mcp', 'version', 'help']) expect(stdout).toContain(`waymark ${name}`);
  });

  test('refuses an unknown command and prints the commands', async () => {
    using room = roomFor();
    const { exitCode, stdout, stderr } = await runProgram(['nonsense'], room.settings);
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toStartWith('waymark: there is no command "nonsense"\n');
    expect(stderr).toContain('waymark serve');
  });
});

describe('only the owner can read the data directory', () => {
  const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8);
  const secrets = ['address', 'admin-token', 'analyst-token', 'demo.json', 'secret-key'];
  const databases = ['events.db', 'read-models.db'];

  test(
    'that the service creates',
    async () => {
      using room = roomFor();
      const { DATA_DIR } = room.settings;
      await using service = await startService(room.settings);
      expect(modeOf(DATA_DIR)).toBe('700');
      expect(secrets.map((name) => modeOf(join(DATA_DIR, name)))).toEqual(secrets.map(() => '600'));
      expect(await service.program.terminate()).toBe(0);
    },
    PATIENCE_MS,
  );

  test(
    'that existed before and was open to all',
    async () => {
      using room = roomFor();
      const { DATA_DIR } = room.settings;
      mkdirSync(DATA_DIR, { mode: 0o755 });
      await using service = await startService(room.settings);
      const files = [...secrets, ...databases, ...databases.map((name) => `${name}-wal`)];
      const open = files.filter((name) => modeOf(join(DATA_DIR, name)) !== '600');
      expect(modeOf(DATA_DIR) === '700' ? [] : open).toEqual([]);
      expect(await service.program.terminate()).toBe(0);
    },
    PATIENCE_MS,
  );
});

type Room = TemporaryDirectory & {
  readonly settings: Settings;
  readonly wish: object;
  /** The expected booking. */
  readonly kept: object;
};

/** A directory with a catalogue, settings of a service on it, and a possible booking. */
function roomFor(): Room {
  const directory = temporaryDirectory();
  const sale: OnSale = writeCatalogue(directory.file('catalogue'), Date.now());
  const settings = { DATA_DIR: directory.file('data'), CATALOGUE_DIR: directory.file('catalogue'), PORT: '0' };
  const kept = {
    booking_date: dateAhead(sale, 1),
    num_adults: 2,
    num_children: 0,
    user_name: 'Ada Lovelace',
    user_email: 'ada@example.com',
    special_requests: null,
  };
  return { ...directory, settings, wish: { activity_id: sale.large[0], ...kept }, kept };
}

function book({ url, apiKey }: Service, wish: object) {
  return send<BookingData>(`${url}/api/b2a/execute_booking`, { 'x-api-key': apiKey }, wish);
}

type OpenRequest = { readonly answer: Output; readonly finish: () => void };

/** A booking request in progress: the service answered "continue" to the headers, and the body is not sent yet. */
async function begin({ url, apiKey }: Service, wish: object): Promise<OpenRequest> {
  const { hostname, port } = new URL(url);
  const body = JSON.stringify(wish);
  const socket = connect(Number(port), hostname);
  const answer = new Output(heard(socket));
  const head = [
    'POST /api/b2a/execute_booking HTTP/1.1',
    `host: ${hostname}`,
    `x-api-key: ${apiKey}`,
    'content-type: application/json',
    `content-length: ${Buffer.byteLength(body)}`,
    'expect: 100-continue',
  ];
  socket.write(`${head.join('\r\n')}\r\n\r\n`);
  expect(await answer.line(/^HTTP\/1\.1 100 /)).not.toBeNull();
  return { answer, finish: () => void socket.write(body) };
}

/** A broken connection ends the output. */
async function* heard(socket: Socket): AsyncGenerator<Uint8Array> {
  try {
    yield* socket;
  } catch {
    socket.destroy();
  }
}

/** Stops a program while a request is in flight, and completes the request after the stop has started. */
async function stopWith(program: Program, stop: () => void, { answer, finish }: OpenRequest) {
  stop();
  expect(await program.stdout.line(/"msg":"stopping"/)).not.toBeNull();
  finish();
  const sinceMs = performance.now();
  const status = await answer.line(/^HTTP\/1\.1 ([2-5]\d\d) /);
  const exitCode = await program.ended();
  await answer.closed;
  expect(performance.now() - sinceMs).toBeLessThan(AT_ONCE_MS);
  return { exitCode, answered: Number(status?.[1]) };
}

async function bookingOf({ url, apiKey }: Service, { answer }: OpenRequest) {
  const [, id = ''] = (await answer.line(/"booking_id":"(\w+)"/)) ?? [];
  return send<BookingData>(`${url}/api/b2a/bookings/${id}`, { 'x-api-key': apiKey }, null);
}

/** Checks that port and data directory are free. */
function expectNothingLeft({ url }: Service, { settings }: Room): void {
  const { port, hostname } = new URL(url);
  Bun.listen({ hostname, port: Number(port), socket: { data() {} } }).stop();
  lockDataDirectory(settings.DATA_DIR)();
}
