import { afterAll, expect, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import type { ReportAnswer } from '../../../src/http/ops/evaluation-schema.ts';
import { interruptInTerminal, runProgram } from '../../support/process.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

const TIMEOUT_MS = 60_000;
const TOKEN = `wma_${'1'.repeat(64)}`;
const MODEL = { name: 'another', ground_truth_power: 3 };
const PROGRESS = { events: 40, answers: 9, position: '0000000000000050', head: '0000000000000100' };

const REPORT: ReportAnswer = {
  model: 'another',
  answers: 5_000,
  visits: 600,
  other_models: 2,
  visits_per_answer: { value: 0.12, low: 0.11, high: 0.13 },
  effective_sample: 812.6,
  differing: 900,
  differing_explored: 880,
  overlap: 0.985,
  conclusion: 'more_visits',
  reasons: [],
  snips: { value: 0.14, low: 0.131, high: 0.149 },
  doubly_robust: { value: 0.1391, low: 0.13, high: 0.1482 },
  difference: { value: 0.0191, low: 0.01, high: 0.0282 },
  ndcg_at_10: { now: 0.7411, model: 0.7524 },
  moves: [{ activity_id: 'river-walk', answers: 5_000, mean_place_change: -1.25 }],
  place_curve: {
    version: 'places-1',
    places: [
      { place: 1, answers: 5_000, visits: 400, in_force: 1, estimated: 1, drawn: 40, drawn_visits: 4, of_drawn: 1 },
      {
        place: 2,
        answers: 4_900,
        visits: 0,
        in_force: 0.6156,
        estimated: null,
        drawn: 0,
        drawn_visits: 0,
        of_drawn: null,
      },
    ],
  },
};

const SHOWN = `Model another
The model leads to more visits than the present one.

5000 answers, 600 verified visits; 2 answers of other scoring rules left out
  visits per answer             95 % interval
  now                   0.1200  0.1100 to 0.1300
  model, SNIPS          0.1400  0.1310 to 0.1490
  model, doubly robust  0.1391  0.1300 to 0.1482
  model minus now       0.0191  0.0100 to 0.0282
Effective sample: 812 answers
Another activity first: 900 answers, 880 of them explored
First places that the logs support: 98.5 %
NDCG@10 on verified visits: now 0.741, model 0.752

Mean change of place (negative: nearer to the first)
  river-walk  -1.3  in 5000 answers

Relative probability of a visit by place; in force: places-1
  place  in force  estimated  visits  answers  of drawn  visits  drawn
  1      1.000     1.000      400     5000     1.000     4       40
  2      0.616     -          0       4900     -         0       0
`;

const directory = temporaryDirectory();
afterAll(() => directory.remove());
const file = directory.file('model.json');
writeFileSync(file, JSON.stringify(MODEL));

type Answer = { readonly status?: number; readonly body: object; readonly headers?: Record<string, string> };

/** A service that gives these answers to the requests of a command, the last one to all later requests. */
function answering(...answers: readonly Answer[]) {
  const received: { readonly authorization: string | null; readonly body: unknown }[] = [];
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request) {
      received.push({ authorization: request.headers.get('authorization'), body: await request.json() });
      const {
        status = 200,
        body,
        headers = {},
      } = answers[Math.min(received.length, answers.length) - 1] ?? { body: {} };
      return Response.json(body, { status, headers });
    },
  });
  const settings = {
    DATA_DIR: directory.file('data'),
    WAYMARK_URL: `http://127.0.0.1:${server.port}`,
    WAYMARK_ADMIN_TOKEN: TOKEN,
  };
  return { received, settings, [Symbol.asyncDispose]: () => server.stop(true) };
}

const running = { body: { success: true, data: { progress: PROGRESS, report: null } } };
const done = (report: ReportAnswer) => ({ body: { success: true, data: { progress: null, report } } });
const command = ['evaluate', '--model', file, '--from', '2026-11-01', '--city', 'Bangkok'];

test(
  'the command repeats the request until it has the report, and prints it',
  async () => {
    await using service = answering(running, running, done(REPORT));
    const ended = await runProgram(command, service.settings);
    expect(ended).toEqual({
      exitCode: 0,
      stdout: SHOWN,
      stderr: expect.stringMatching(/^50 %, 40 events, \d+ events\/s \(evaluation\)\n$/),
    });
    const request = {
      authorization: `Bearer ${TOKEN}`,
      body: { model: MODEL, from: '2026-11-01', city: 'Bangkok' },
    };
    expect(service.received).toEqual([request, request, request]);
  },
  TIMEOUT_MS,
);

test(
  'while another evaluation runs, the command waits for Retry-After, says so, and tries again',
  async () => {
    const body = { success: false, code: 'RATE_LIMITED', error: 'An evaluation is running on another node.' };
    await using service = answering({ status: 429, headers: { 'retry-after': '1' }, body }, done(REPORT));
    expect(await runProgram(command, service.settings)).toEqual({
      exitCode: 0,
      stdout: SHOWN,
      stderr: 'waymark evaluate: An evaluation is running on another node. Trying again in 1 s.\n',
    });
    expect(service.received).toHaveLength(2);
  },
  TIMEOUT_MS,
);

test(
  'a refusal to conclude ends it with code 3, a refused request with 1, a faulty file with 2',
  async () => {
    const refused: ReportAnswer = { ...REPORT, conclusion: 'refused', reasons: ['No.'], snips: null };
    await using unsupported = answering(done(refused));
    const json = await runProgram([...command, '--json'], unsupported.settings);
    expect({ ...json, stdout: JSON.parse(json.stdout) }).toEqual({ exitCode: 3, stdout: refused, stderr: '' });
    await using refusing = answering({ status: 400, body: { code: 'INVALID_REQUEST' } });
    expect(await runProgram(command, refusing.settings)).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('answered 400: {"code":"INVALID_REQUEST"}'),
    });
    const faults = [
      [['evaluate'], 'give the model: --model FILE'],
      [['evaluate', '--model', directory.file('none')], 'there is no file'],
      [['evaluate', '--model', import.meta.path], 'is not JSON'],
    ] as const;
    for (const [args, stderr] of faults)
      expect(await runProgram(args, refusing.settings)).toMatchObject({
        exitCode: 2,
        stderr: expect.stringContaining(stderr),
      });
  },
  TIMEOUT_MS,
);

test(
  'in a terminal it shows a bar, and Ctrl-C ends it',
  async () => {
    await using service = answering(running);
    const { exitCode, shown } = await interruptInTerminal(command, service.settings, /50 %/);
    expect(exitCode).toBe(1);
    expect(shown).toContain(`[${'#'.repeat(15)}${'.'.repeat(15)}] 50 %`);
    expect(shown).toContain('waymark evaluate: interrupted');
  },
  TIMEOUT_MS,
);
