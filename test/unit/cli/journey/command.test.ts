import { expect, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { type Ended, runProgram } from '../../../support/process.ts';
import { temporaryDirectory } from '../../../support/temporary-directory.ts';

const TOKEN = 'a token of operators';

test('waymark journey prints what was expected and what was found, and ends with code 1', async () => {
  using directory = temporaryDirectory();
  using busy = Bun.serve({ port: 0, fetch: () => new Response('busy', { status: 503 }) });
  const url = `http://127.0.0.1:${busy.port}`;
  writeFileSync(directory.file('address'), `${url}\n`);
  writeFileSync(directory.file('admin-token'), TOKEN);
  const ended = await runProgram(['journey'], { DATA_DIR: directory.path });
  expect(timeless(ended)).toEqual({
    exitCode: 1,
    stdout: `✗ service readiness (… ms)
    expected GET /readyz answers 200
    found    503 busy
✗ API key with a webhook receiver (… ms)
    expected POST /api/keys: 200 and {"success":true}
    found    503 busy

journey: 0 steps as promised, 2 different, in … s
`,
    stderr: '',
  });
  const result = await runProgram(['journey', '--json', '--url', `${url}/`, '--data', directory.path], {
    DATA_DIR: directory.file('elsewhere'),
  });
  expect(JSON.parse(result.stdout)).toMatchObject({ url, kept: 0, differing: 2, leftOut: 0 });
});

test('waymark journey names missing settings, and ends with code 2', async () => {
  using directory = temporaryDirectory();
  const DATA_DIR = directory.path;
  const errorOf = async (...options: string[]) => (await runProgram(['journey', ...options], { DATA_DIR })).stderr;
  expect(await runProgram(['journey'], { DATA_DIR })).toEqual({
    exitCode: 2,
    stdout: '',
    stderr: `waymark journey: ${DATA_DIR} names no running service; start it, or name it with --url\n`,
  });
  expect(await errorOf('--url', 'http://127.0.0.1:1')).toStartWith('waymark journey: set WAYMARK_ADMIN_TOKEN: ');
  expect(await errorOf('--fast')).toBe(
    'waymark journey: there is no option "--fast"; the options are --url URL, --data DIR, --json, --help\n',
  );
});

function timeless({ exitCode, stdout, stderr }: Ended): Ended {
  return { exitCode, stdout: stdout.replaceAll(/\d+(\.\d+)? (ms|s)\b/g, '… $2'), stderr };
}
