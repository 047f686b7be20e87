import { afterAll, beforeAll, expect, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pythonEnvironment } from '../../support/peers/python-environment.ts';
import { type Service, startService } from '../../support/process.ts';
import { DOCUMENTS } from '../../support/reference.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { createFixtures } from './fixtures.ts';
import { money as MONEY } from './tolerated.json';

/** SCHEMATHESIS_SEED repeats a run, or selects another one. */
const SEED = process.env['SCHEMATHESIS_SEED'] ?? '20261121';
/** Only ends an installation and runs that hang. */
const TIMEOUT_MS = 900_000;

const CHECKS = [
  'not_a_server_error',
  'status_code_conformance',
  'content_type_conformance',
  'response_headers_conformance',
  'response_schema_conformance',
  'accepted_by_its_schema',
  'refused_with_a_documented_code',
];

type Run = {
  /** What Schemathesis prints about failures; empty without one. */
  readonly failures: string;
  /** The number of answers by operation and class of status: `hold 2xx`. */
  readonly counts: Readonly<Record<string, number>>;
};

const directory = temporaryDirectory();
let service: Service;
let money: Run;
/** Of all other operations, by document. */
let others: Readonly<Record<string, Run>>;
beforeAll(async () => {
  const python = join(
    await pythonEnvironment('schemathesis', join(import.meta.dir, 'requirements.txt')),
    'bin/python3',
  );
  const settings = {
    DATA_DIR: directory.file('data'),
    PORT: '0',
    LOG_LEVEL: 'warn',
    MAIL_WAIT_MS: '0',
    WRONG_TOKENS_PER_MINUTE: '1000000',
  };
  service = await startService(settings);
  writeFileSync(directory.file('fixtures.json'), JSON.stringify(await createFixtures(service)));
  const moving = MONEY.flatMap((id) => ['--include-operation-id', id]);
  const resting = MONEY.flatMap((id) => ['--exclude-operation-id', id]);
  const [first, second] = DOCUMENTS;
  process.stdout.write(`schemathesis: SCHEMATHESIS_SEED=${SEED}\n`);
  const [paid, ofAgents, ofOperators] = await Promise.all([
    run(python, first, 'money', 100, moving),
    run(python, first, 'agents', 10, resting),
    run(python, second, 'operators', 10, []),
  ]);
  money = paid;
  others = { [first]: ofAgents, [second]: ofOperators };
  process.stdout.write(`schemathesis: ${JSON.stringify(money.counts)}\n`);
}, TIMEOUT_MS);

afterAll(async () => {
  await service?.[Symbol.asyncDispose]();
  directory.remove();
});

/** Runs Schemathesis over some operations of a document, with valid and invalid data. */
async function run(
  python: string,
  document: string,
  name: string,
  examples: number,
  selection: readonly string[],
): Promise<Run> {
  const counts = directory.file(`${name}.json`);
  const data = ['--phases=examples,coverage,fuzzing', `--max-examples=${examples}`, `--seed=${SEED}`];
  // Several workers in one process fail at random in Python 3.11: its parser is not safe in threads.
  const running = ['--workers=1', '--continue-on-failure', '--generation-database=none'];
  const printing = ['--no-color', '--warnings=off'];
  const options = [...data, ...running, ...printing, `--checks=${CHECKS.join(',')}`, ...selection];
  const child = Bun.spawn(
    [python, '-m', 'schemathesis.cli', 'run', `${service.url}${document}`, `--url=${service.url}`, ...options],
    {
      cwd: directory.path,
      env: {
        PATH: process.env['PATH'] ?? '',
        HOME: directory.path,
        PYTHONPATH: import.meta.dir,
        PYTHONDONTWRITEBYTECODE: '1',
        SCHEMATHESIS_HOOKS: 'hooks',
        FIXTURES: directory.file('fixtures.json'),
        COUNTS: counts,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  const [output, error] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  const exitCode = await child.exited;
  if (!(await Bun.file(counts).exists())) throw new Error(`Schemathesis ended with ${exitCode}:\n${output}${error}`);
  const told = /^=+ (?:FAILURES|ERRORS) =+$[\s\S]*/m.exec(output)?.[0] ?? output;
  return { failures: exitCode === 0 ? '' : told, counts: (await Bun.file(counts).json()) as Run['counts'] };
}

test('where money moves, only valid requests and the listed spellings are accepted', () => {
  expect(money.failures).toBe('');
  // If all requests were refused, the test would prove nothing.
  const rare = MONEY.flatMap((id) => [`${id} 2xx`, `${id} 4xx`]).filter((answer) => (money.counts[answer] ?? 0) < 5);
  expect(rare).toEqual([]);
});

test.each(DOCUMENTS)('every other operation of %s answers valid and invalid requests as the document says', (path) => {
  const { failures, counts } = others[path] ?? { failures: 'not run', counts: {} };
  expect(failures).toBe('');
  expect(Object.keys(counts).length).toBeGreaterThan(40);
});
