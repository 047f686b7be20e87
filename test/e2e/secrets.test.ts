import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../../src/adapters/system/clock.ts';
import { systemSealer } from '../../src/adapters/system/sealer.ts';
import { runJourney } from '../../src/cli/journey/journey.ts';
import { openKey } from '../../src/vouchers/signing-key.ts';
import { type Ended, runProgram, startService } from '../support/process.ts';
import { type TemporaryDirectory, temporaryDirectory } from '../support/temporary-directory.ts';
import { type Recorded, recorder } from './secrets/recorder.ts';
import { directoriesIn, filesIn, holding, type Place, rowsOf, type Sought, sought } from './secrets/search.ts';

const PATIENCE_MS = 120_000;
/** Public pages; they need no key. */
const OPEN = [
  '/openapi.json',
  '/openapi-operators.json',
  '/llms.txt',
  '/docs',
  '/readyz',
  '/.well-known/waymark-voucher-keys.json',
];

let directory: TemporaryDirectory;
let data: string;
let files: ReturnType<typeof filesIn>;
let rows: readonly Place[];
let answers: readonly Recorded[];
/** The log of both runs, and what the second one said beside it. */
let log: Place;
let saidAgain: string;
let command: Ended;
let differing: number;
/** In the order in which they come to be. */
let secrets: Record<
  'admin' | 'analyst' | 'sealing' | 'demo' | 'demoDevice' | 'signing' | 'made' | 'vouchers',
  Sought[]
>;

beforeAll(async () => {
  directory = temporaryDirectory();
  data = directory.file('data');
  const settings = { DATA_DIR: data, PORT: '0', LOG_LEVEL: 'debug' };
  const { fetch, recorded } = recorder();
  await using first = await startService(settings);
  const played = {
    url: first.url,
    adminToken: first.adminToken,
    fetch,
    clock: systemClock,
    report: () => undefined,
  };
  ({ differing } = await runJourney(played));
  command = await runProgram(['journey', '--json'], settings);
  await misplace(first.url, recorded, kept('admin-token'), fetch);
  for (const path of OPEN) await fetch(`${first.url}${path}`, { headers: { 'accept-encoding': 'identity' } });
  await first.program.terminate();
  await using second = await startService(settings);
  await second.program.terminate();
  const linesOf = ({ program }: typeof first): string[] => program.stdout.lines.filter((line) => line.startsWith('{'));
  log = {
    name: 'log',
    bytes: Buffer.from([...linesOf(first), ...linesOf(second), first.program.stderr.text].join('\n')),
  };
  saidAgain = second.program.stdout.text;
  answers = recorded;
  files = filesIn(data);
  rows = files.filter(({ name }) => name.endsWith('.db')).flatMap(({ name }) => rowsOf(join(data, name)));
  secrets = {
    admin: [sought('the admin token', kept('admin-token'))],
    analyst: [sought('the analyst token', kept('analyst-token'))],
    sealing: [sought('the secret that seals', kept('secret-key'))],
    demo: [sought('the demo key', first.apiKey)],
    demoDevice: Object.values(first.deviceKeys).map((key) => sought('a demo device key', key)),
    signing: signingKeys(),
    made: secretsMade(recorded),
    vouchers: vouchersIn(recorded),
  };
}, PATIENCE_MS);
afterAll(() => directory[Symbol.dispose]());

function kept(name: string): string {
  return readFileSync(join(data, name), 'utf8').trim();
}

/** Sends every credential in the place of every other: error texts and log lines might repeat it. */
async function misplace(
  url: string,
  recorded: readonly Recorded[],
  adminToken: string,
  send: ReturnType<typeof recorder>['fetch'],
): Promise<void> {
  const made = recorded.flatMap(({ data: { key, device_key, webhook_secret } }) => [key, device_key, webhook_secret]);
  for (const secret of [...made.filter((each) => typeof each === 'string'), adminToken]) {
    const headers = {
      'x-api-key': secret,
      'x-device-key': secret,
      authorization: `Bearer ${secret}`,
      'idempotency-key': secret,
    };
    const body = JSON.stringify({ code: secret, activity_id: secret, name: secret.repeat(9), hold_id: secret });
    const post = { method: 'POST', headers: { ...headers, 'content-type': 'application/json' }, body };
    for (const path of ['/api/b2a/execute_booking', '/api/b2a/holds', '/api/venue/verify', '/api/keys', '/mcp'])
      await send(`${url}${path}`, post);
    for (const path of [`/api/vouchers/${secret}`, `/api/b2a/bookings/${secret}`, `/api/b2a/inventory?city=${secret}`])
      await send(`${url}${path}`, { headers });
  }
}

/** The private halves, opened with the service's secret as the service itself opens them. */
function signingKeys(): Sought[] {
  const events = files.filter(({ name }) => name.startsWith('events.db')).map(({ bytes }) => bytes.toString('latin1'));
  const stored = events.flatMap((text) => [
    ...text.matchAll(/"kid":"([^"]+)","publicKey":"([^"]+)","sealed":"([\w-]+)"/g),
  ]);
  const sealer = systemSealer(Buffer.from(kept('secret-key'), 'hex'));
  return stored.map(([, kid = '', publicKey = '', sealed = '']) => {
    const der = openKey({ kid, publicKey, sealed }, sealer).privateKey.export({ format: 'der', type: 'pkcs8' });
    // The 32 bytes that end it are the key itself.
    return sought('a key that signs vouchers', new Uint8Array(der.subarray(-32)));
  });
}

/** What was shown once, when it was made. */
function secretsMade(recorded: readonly Recorded[]): Sought[] {
  return recorded.flatMap(({ data: made }) =>
    ['key', 'webhook_secret', 'device_key'].flatMap((name) => {
      const secret = made[name];
      if (typeof secret !== 'string') return [];
      const inner = secret.startsWith('whsec_') ? [sought(`a ${name}`, Buffer.from(secret.slice(6), 'base64'))] : [];
      return [sought(`a ${name}`, secret), ...inner];
    }),
  );
}

function vouchersIn(recorded: readonly Recorded[]): Sought[] {
  const codes = recorded.flatMap(({ name, bytes }) =>
    name === 'POST /api/b2a/execute_booking' ? (/WM-[0-9A-Z]{20}-[0-9A-Z]{26}/.exec(bytes.toString()) ?? []) : [],
  );
  return [...new Set(codes)].map((code) => sought('a voucher code', code));
}

type Finding = readonly [what: string, places: readonly string[]];

/** Each secret with the places that hold it, where there are any. */
function found(wanted: readonly Sought[], places: readonly Place[]): Finding[] {
  return wanted
    .map((each) => [each.what, [...new Set(holding(each, places))]] as const)
    .filter(([, names]) => names.length > 0);
}

/** Answers that tell a secret to somebody who did not send it. */
function toldIn(wanted: readonly Sought[]): Finding[] {
  return wanted
    .map((each) => {
      const silent = answers.filter(({ request }) => !each.forms.some((form) => request.includes(form)));
      return [each.what, [...new Set(holding(each, silent))]] as const;
    })
    .filter(([, names]) => names.length > 0);
}

describe('after a whole journey, with every line of the log', () => {
  test('there are secrets, and the search finds them', () => {
    expect([differing, command.exitCode, command.stderr]).toEqual([0, 0, '']);
    const counts = Object.entries(secrets).map(([name, list]) => [name, list.length > 0]);
    expect(counts).toEqual(Object.keys(secrets).map((name) => [name, true]));
    expect(new Set(secrets.made.map(({ what }) => what))).toEqual(
      new Set(['a key', 'a webhook_secret', 'a device_key']),
    );
    expect(found(secrets.admin, files)).toEqual([['the admin token', ['admin-token']]]);
    expect(found(secrets.vouchers, files).length).toBe(secrets.vouchers.length);
    expect(rows.map(({ name }) => name)).toContain('events.db: appends');
    expect(log.bytes.toString()).toInclude('"listening"');
  });

  test('the operator’s tokens and the secret key are in their own files, with mode 600', () => {
    expect(found([...secrets.admin, ...secrets.analyst, ...secrets.sealing], [...files, ...rows, log])).toEqual([
      ['the admin token', ['admin-token']],
      ['the analyst token', ['analyst-token']],
      ['the secret that seals', ['secret-key']],
    ]);
    expect(found([...secrets.demo, ...secrets.demoDevice], [...files, ...rows, log])).toEqual([
      ['the demo key', ['demo.json']],
      ['a demo device key', ['demo.json']],
    ]);
  });

  test('keys, webhook secrets and signing keys are in no file, row or log line', () => {
    expect(found([...secrets.made, ...secrets.signing], [...files, ...rows, log])).toEqual([]);
  });

  test('an answer shows them once, at their creation', () => {
    const { made, admin, analyst, sealing, demo, demoDevice, signing } = secrets;
    expect(toldIn([...admin, ...analyst, ...sealing, ...demo, ...demoDevice, ...signing])).toEqual([]);
    const findings = toldIn(made);
    expect(findings.length).toBe(made.length);
    for (const [what, places] of findings) {
      const maker = what === 'a device_key' ? /^POST \/api\/venues\/[\w-]+\/devices$/ : /^POST \/api\/keys$/;
      expect(places).toEqual([expect.stringMatching(maker)]);
    }
  });

  test('a voucher’s code is in its mail, in no log line and on no public page', () => {
    const mails = files.filter(({ name }) => name.startsWith('outbox/'));
    expect(found(secrets.vouchers, mails).length).toBe(secrets.vouchers.length);
    expect(found(secrets.vouchers, [log])).toEqual([]);
    expect(
      found(
        secrets.vouchers,
        answers.filter(({ name }) => OPEN.includes(name.replace('GET ', ''))),
      ),
    ).toEqual([]);
  });

  test('only the owner can read the data directory and its files', () => {
    expect(directoriesIn(data).filter(([, mode]) => mode !== '700')).toEqual([]);
    expect(files.filter(({ mode }) => mode !== '600').map(({ name, mode }) => [name, mode])).toEqual([]);
  });

  test('the first start shows the tokens, later starts do not, and the journey command shows no secret', () => {
    const said: Place[] = [
      { name: 'the second start', bytes: Buffer.from(saidAgain) },
      { name: 'waymark journey', bytes: Buffer.from(command.stdout + command.stderr) },
    ];
    const { made, admin, analyst, sealing, signing, demo, demoDevice } = secrets;
    expect(found([...made, ...admin, ...analyst, ...sealing, ...signing], said)).toEqual([]);
    expect(found([...demo, ...demoDevice], said.slice(1))).toEqual([]);
    expect(command.stdout).not.toMatch(/\b[0-9a-f]{64}\b|whsec_/);
  });
});
