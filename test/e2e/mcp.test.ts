import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { dateAhead, writeCatalogue } from '../chaos/kill/catalogue.ts';
import { ROOT } from '../support/files.ts';
import { connectOverHttp, connectOverStdio } from '../support/mcp.ts';
import { type Ended, Program, runProgram, type Service, type Settings, startService } from '../support/process.ts';
import { withKey } from '../support/service.ts';
import { type TemporaryDirectory, temporaryDirectory } from '../support/temporary-directory.ts';

/** Longer than a test takes on a slow core. */
const PATIENCE_MS = 60_000;

type Room = TemporaryDirectory & { readonly settings: Settings; readonly wish: object };

let room: Room;
let service: Service;
beforeAll(async () => {
  room = roomFor();
  service = await startService(room.settings);
}, PATIENCE_MS);
afterAll(async () => {
  await service[Symbol.asyncDispose]();
  room.remove();
});

/** A directory with a catalogue, the settings of a service in it, and a booking that it can take. */
function roomFor(): Room {
  const directory = temporaryDirectory();
  const sale = writeCatalogue(directory.file('catalogue'), Date.now());
  const settings = { DATA_DIR: directory.file('data'), CATALOGUE_DIR: directory.file('catalogue'), PORT: '0' };
  const wish = {
    activity_id: sale.large[0],
    booking_date: dateAhead(sale, 1),
    num_adults: 2,
    user_name: 'Ada Lovelace',
    user_email: 'ada@example.com',
  };
  return { ...directory, settings, wish };
}

/** What the REST API says of a booking that a tool made. */
async function bookingOf({ url, apiKey }: Service, id: unknown): Promise<object> {
  const answer = await fetch(`${url}/api/b2a/bookings/${String(id)}`, { headers: withKey(apiKey) });
  const { data } = (await answer.json()) as { data: object };
  return data;
}

type Listed = { readonly booking_id: string; readonly user_name: string };

/** The bookings of the service's key, once the list holds all that was booked before. */
async function bookingsOf({ url, apiKey }: Service, wish: object): Promise<readonly Listed[]> {
  const headers = { ...withKey(apiKey), 'content-type': 'application/json' };
  const last = await fetch(`${url}/api/b2a/execute_booking`, { method: 'POST', headers, body: JSON.stringify(wish) });
  const position = { 'x-position': last.headers.get('x-position') ?? '' };
  const list = await fetch(`${url}/api/b2a/bookings?limit=100`, { headers: { ...headers, ...position } });
  const { data } = (await list.json()) as { data: { items: Listed[] } };
  return data.items;
}

describe('the tools over HTTP, on a port', () => {
  test(
    'list, book for real, and show the booking again',
    async () => {
      await using tools = await connectOverHttp(service.url, withKey(service.apiKey));
      const { failed, content } = await tools.call('book', { ...room.wish, num_adults: 1 });
      expect({ failed, content }).toEqual({
        failed: false,
        content: { ...(await bookingOf(service, content?.['booking_id'])), idempotent_replayed: false },
      });
      const again = await tools.call('book', { ...room.wish, num_adults: 1 });
      expect(again.content).toEqual({ ...content, idempotent_replayed: true });
    },
    PATIENCE_MS,
  );
});

describe('waymark mcp, on standard input and output', () => {
  const environment = (more: object = {}) => ({
    PATH: process.env['PATH'] ?? '',
    DATA_DIR: room.settings.DATA_DIR,
    WAYMARK_API_KEY: service.apiKey,
    ...more,
  });

  test(
    'finds the service by its data directory, and books there for real',
    async () => {
      await using tools = await connectOverStdio(environment());
      expect((await tools.client.listTools()).tools.map(({ name }) => name)).toEqual([
        'recommend',
        'inventory',
        'book',
      ]);
      const { failed, content } = await tools.call('book', { ...room.wish, num_adults: 3 });
      expect({ failed, content }).toEqual({
        failed: false,
        content: { ...(await bookingOf(service, content?.['booking_id'])), idempotent_replayed: false },
      });
      expect((await tools.call('book', { ...room.wish, num_adults: 0 })).content).toMatchObject({
        code: 'INVALID_REQUEST',
        error: expect.stringContaining('num_adults'),
      });
      expect((await tools.call('inventory', { city: 'Atlantis' })).content).toMatchObject({ code: 'INVALID_CITY' });
      expect(tools.errorOutput()).toBe(`waymark mcp: serving tools of ${service.url}\n`);
    },
    PATIENCE_MS,
  );

  test(
    'books as the HTTP tools do, so that a call that one of them lost is found by the other',
    async () => {
      await using http = await connectOverHttp(service.url, withKey(service.apiKey));
      await using stdio = await connectOverStdio(environment({ WAYMARK_URL: service.url }));
      const { content } = await http.call('book', { ...room.wish, num_adults: 4 });
      const again = await stdio.call('book', { ...room.wish, num_adults: 4 });
      expect(again.content).toEqual({ ...content, idempotent_replayed: true });
    },
    PATIENCE_MS,
  );

  test(
    'given a call that the client gave up on, the same call again books once in all',
    async () => {
      await using tools = await connectOverStdio(environment());
      const wish = { ...room.wish, num_adults: 5, user_name: 'Given Up' };
      const cancellation = new AbortController();
      const given = tools.client.callTool({ name: 'book', arguments: wish }, undefined, {
        signal: cancellation.signal,
      });
      cancellation.abort();
      expect(await given.catch(() => 'given up')).toBe('given up');
      let again = await tools.call('book', wish);
      while (again.content?.['code'] === 'IDEMPOTENCY_IN_PROGRESS') again = await tools.call('book', wish);
      expect(again.failed).toBe(false);
      const bookings = await bookingsOf(service, room.wish);
      expect(bookings.filter(({ user_name: name }) => name === 'Given Up')).toMatchObject([
        { booking_id: again.content?.['booking_id'] },
      ]);
    },
    PATIENCE_MS,
  );

  test(
    'outlives its service: says that nobody answers, and finds the service again at its new address',
    async () => {
      using own = roomFor();
      await using running = await startService(own.settings);
      const env = { ...environment(), DATA_DIR: own.settings.DATA_DIR, WAYMARK_API_KEY: running.apiKey };
      await using tools = await connectOverStdio(env);
      expect(await running.program.terminate()).toBe(0);
      const { failed, texts } = await tools.call('book', own.wish);
      expect({ failed, text: texts[0]?.split(' (')[0] }).toEqual({
        failed: true,
        text: 'NO_ANSWER: The Waymark service did not answer',
      });
      expect(texts[0]).toContain('the same arguments never book or charge twice');

      await using restarted = await startService(own.settings);
      const { content } = await tools.call('book', own.wish);
      expect(content).toEqual({
        ...(await bookingOf(restarted, content?.['booking_id'])),
        idempotent_replayed: false,
      });
    },
    PATIENCE_MS,
  );

  // Its standard input is at its end from the start: it says what it has to, and ends.
  const started = (env: object): Promise<Ended> => runProgram(['mcp'], { ...room.settings, ...env });

  test(
    'ends when its input ends, having written nothing that is not of the protocol',
    async () => {
      expect(await started({ WAYMARK_API_KEY: service.apiKey })).toEqual({
        exitCode: 0,
        stdout: '',
        stderr: `waymark mcp: serving tools of ${service.url}\n`,
      });
    },
    PATIENCE_MS,
  );

  test(
    'says what is missing, and what is wrong',
    async () => {
      const key = 'f'.repeat(64);
      const outcomeOf = async (env: object) => {
        const { exitCode, stdout, stderr } = await started(env);
        expect(stdout).toBe('');
        return { exitCode, says: stderr.trimEnd() };
      };
      expect(await outcomeOf({})).toEqual({
        exitCode: 2,
        says: 'waymark mcp: set WAYMARK_API_KEY to the API key that the tools shall use (demo.json in DATA_DIR has that of a trial)',
      });
      expect(await outcomeOf({ WAYMARK_API_KEY: 'pk_abcdef' })).toMatchObject({
        exitCode: 1,
        says: expect.stringContaining('WAYMARK_API_KEY must be an API key: 64 hexadecimal characters'),
      });
      const nowhere = room.file('nowhere');
      expect(await outcomeOf({ WAYMARK_API_KEY: key, DATA_DIR: nowhere })).toEqual({
        exitCode: 2,
        says: `waymark mcp: no service is known: there is no address in ${nowhere}. Start one with "waymark serve", set DATA_DIR to its data directory, or set WAYMARK_URL`,
      });
      expect(await outcomeOf({ WAYMARK_API_KEY: key })).toEqual({
        exitCode: 0,
        says: `waymark mcp: serving tools of ${service.url}, which refuses the key: The API key in x-api-key is not known; check that all 64 characters were copied.`,
      });
      expect((await outcomeOf({ WAYMARK_API_KEY: key, WAYMARK_URL: 'http://127.0.0.1:1' })).says).toMatch(
        /^waymark mcp: serving tools of http:\/\/127\.0\.0\.1:1, which does not answer \(.+\): start it with "waymark serve", or set WAYMARK_URL$/,
      );
    },
    PATIENCE_MS,
  );
});

describe("the protocol's own conformance suite", () => {
  const SUITE = join(ROOT, 'node_modules/@modelcontextprotocol/conformance/dist/index.js');

  // The suite's other scenarios ask for what Waymark does not have: tools made for the suite, resources, prompts, streams.
  test.each(['server-initialize', 'ping', 'tools-list', 'dns-rebinding-protection'])(
    'passes %s',
    async (scenario) => {
      const command = [process.execPath, SUITE, 'server', '--url', `${service.url}/mcp`, '--scenario', scenario];
      await using suite = new Program(command, { PATH: process.env['PATH'] });
      expect({ exitCode: await suite.ended(), stderr: suite.stderr.text }).toEqual({ exitCode: 0, stderr: '' });
      expect(suite.stdout.text).toMatch(/Passed: ([12])\/\1, 0 failed, 0 warnings/);
    },
    PATIENCE_MS,
  );
});
