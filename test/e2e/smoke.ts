/**
 * The first steps of a new user: `npm start` in the checkout, the three commands that it prints, the voucher's QR code,
 * `waymark journey` from the recommendation to the visit, and a stop.
 *
 *     DATA_DIR=… PORT=… bun test/e2e/smoke.ts
 *
 * The default of DATA_DIR is a temporary directory, that of PORT any free port. The last line is `N passed, N failed` and
 * counts the steps of the journey too; the exit code is 1 if one failed. After a failed step the others do not run, because
 * they need its result.
 */
import { strict as assert } from 'node:assert';
import { join } from 'node:path';
import { systemClock } from '../../src/adapters/system/clock.ts';
import { type Journey, runJourney } from '../../src/cli/journey/journey.ts';
import type { StepResult } from '../../src/cli/journey/step.ts';
import { type Program, ready, type Service, type Settings, startProgram, startWithNpm } from '../support/process.ts';
import { scanPng } from '../support/scan.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { assertContract } from './journey/contract.ts';
import { recorder } from './journey/recorder.ts';

/** Everything takes some seconds; a first install from an empty cache takes a minute. */
const TIMEOUT_MS = 300_000;
/** No request is in flight when the service gets SIGTERM. */
const STOP_MS = 5_000;
/** Minimum number of steps of the journey. At night it leaves some out. */
const LEAST_STEPS = 20;

const count = { passed: 0, failed: 0 };

type Booking = { readonly booking_id: string; readonly voucher: { readonly code: string; readonly qr_url: string } };
type Envelope<Data> = { readonly success: boolean; readonly data: Data; readonly code: string };

async function smoke(program: Program, service: Service, settings: Settings): Promise<void> {
  const [recommendation, booking, visit] = await step('it prints three commands to try', () =>
    printedCommands(program),
  );
  const logId = await step('1. activities are recommended, the best first', () => recommend(recommendation));
  const booked = await step('2. the booking is confirmed, and names the recommendation', () => book(booking, logId));
  const text = await step('the QR code of the voucher can be read', () => readQrCode(booked));
  await step('3. the visit is verified', () => verify(visit, booked));
  await step('a scan of its text is refused: the voucher was used', () => scanAgain(text, service));
  await step('waymark journey passes', () => runJourneyCommand(settings));
  await step('the answers and deliveries of a journey keep the contract', () => compareWithContract(service, settings));
  await step('SIGTERM ends the service and every process of its group', () => stop(program, service));
}

async function printedCommands(program: Program): Promise<readonly [string, string, string]> {
  await program.stdout.line(/^curl .*\/api\/venue\/verify/);
  const commands = program.stdout.lines.filter((line) => line.startsWith('curl '));
  const [first = '', second = '', third = ''] = commands;
  assert.equal(commands.length, 3);
  return [first, second, third];
}

async function recommend(command: string): Promise<string> {
  type Activity = { readonly relevance_score: number };
  type Answer = { readonly recommendations: readonly Activity[]; readonly context: { readonly log_id: string } };
  const { recommendations, context } = (await run<Answer>(command)).data;
  const scores = recommendations.map(({ relevance_score: score }) => score);
  assert.ok(scores.length > 3, `${scores.length} activities`);
  assert.deepEqual(
    scores,
    scores.toSorted((left, right) => right - left),
  );
  return context.log_id;
}

async function book(command: string, logId: string): Promise<Booking> {
  type Answer = Booking & { readonly status: string; readonly user_name: string; readonly context_log_id: string };
  const { data } = await run<Answer>(command);
  assert.deepEqual([data.status, data.user_name, data.context_log_id], ['confirmed', 'Ada Lovelace', logId]);
  return data;
}

async function verify(command: string, { booking_id: id }: Booking): Promise<void> {
  type Visit = { readonly booking_id: string; readonly verification_method: string };
  const { data } = await run<Visit>(command);
  assert.deepEqual([data.booking_id, data.verification_method], [id, 'manual']);
}

/** The text of the image that a guest shows. */
async function readQrCode({ voucher }: Booking): Promise<string> {
  const response = await fetch(voucher.qr_url);
  assert.deepEqual([response.status, response.headers.get('content-type')], [200, 'image/png']);
  const text = scanPng(await response.arrayBuffer());
  assert.ok(text, 'no QR code was found in the image');
  return text;
}

/** A text with a broken signature, or of another voucher, would be refused otherwise. */
async function scanAgain(code: string, { url, deviceKeys }: Service): Promise<void> {
  const [deviceKey = ''] = Object.values(deviceKeys);
  const response = await fetch(`${url}/api/venue/verify`, {
    method: 'POST',
    headers: { 'x-device-key': deviceKey, 'content-type': 'application/json' },
    body: JSON.stringify({ code }),
  });
  const answer = (await response.json()) as Envelope<unknown>;
  assert.deepEqual([response.status, answer.code], [409, 'VOUCHER_ALREADY_VERIFIED']);
}

/** Counts each step of the command. */
async function runJourneyCommand(settings: Settings): Promise<void> {
  await using program = startProgram(['journey', '--json'], settings);
  const exitCode = await program.ended();
  const printed: Journey & { readonly steps: readonly StepResult[] } = JSON.parse(
    program.stdout.text || '{"steps":[]}',
  );
  for (const { name, outcome, facts, differences } of printed.steps) {
    const word = { kept: 'ok     ', differs: 'FAILED ', 'left out': 'left out' }[outcome];
    console.log(`journey: ${word} ${[name, ...facts].join(' · ')}`);
    for (const { expected, found } of differences) console.log(`    expected ${expected}\n    found    ${found}`);
    if (outcome === 'kept') count.passed++;
    if (outcome === 'differs') count.failed++;
  }
  assert.deepEqual([exitCode, printed.differing], [0, 0], program.stderr.text);
  assert.ok(printed.kept >= LEAST_STEPS, `it took ${printed.kept} steps`);
}

/** The command checks what its next step needs; this checks every field. */
async function compareWithContract({ url, adminToken }: Service, { DATA_DIR }: Settings): Promise<void> {
  await using recording = recorder(fetch);
  const options = { url, adminToken, fetch: recording.fetch, clock: systemClock, report: () => undefined };
  const { differing } = await runJourney(options);
  assert.equal(differing, 0);
  await assertContract(recording, Date.now(), join(DATA_DIR, 'outbox'));
}

async function stop(program: Program, { url }: Service): Promise<void> {
  const sinceMs = performance.now();
  assert.equal(await program.terminate(), 0);
  const tookMs = Math.round(performance.now() - sinceMs);
  assert.ok(tookMs < STOP_MS, `it took ${tookMs} ms`);
  await assert.rejects(fetch(`${url}/livez`), 'it still answers');
  assert.throws(() => process.kill(-program.pid, 0), 'a process of its group still runs');
}

/** Runs a shell command. @throws if the answer is no success */
async function run<Data>(command: string): Promise<Envelope<Data>> {
  const shell = Bun.spawn(['bash', '-c', command], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [text, exitCode] = await Promise.all([shell.stdout.text(), shell.exited]);
  assert.equal(exitCode, 0);
  // The caller checks the data.
  const answer = JSON.parse(text) as Envelope<Data>;
  assert.ok(answer.success, text);
  return answer;
}

async function step<T>(name: string, work: () => Promise<T>): Promise<T> {
  const sinceMs = performance.now();
  try {
    const result = await work();
    count.passed++;
    console.log(`smoke: ok      ${name} (${Math.round(performance.now() - sinceMs)} ms)`);
    return result;
  } catch (fault) {
    count.failed++;
    console.log(`smoke: FAILED  ${name}`);
    throw fault;
  }
}

if (import.meta.main) {
  using directory = temporaryDirectory();
  const { DATA_DIR = directory.file('data'), PORT = '0' } = process.env;
  const settings = { DATA_DIR, PORT };
  await using program = startWithNpm(settings);
  AbortSignal.timeout(TIMEOUT_MS).addEventListener('abort', () => void program.kill());
  try {
    await smoke(program, await step('npm start says where it is', () => ready(program, settings)), settings);
  } catch (fault) {
    console.log(fault instanceof Error ? fault.message : fault);
    process.exitCode = 1;
  }
  console.log(`\n${count.passed} passed, ${count.failed} failed`);
}
