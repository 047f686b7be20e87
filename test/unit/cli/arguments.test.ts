import { describe, expect, spyOn, test } from 'bun:test';
import { COMMANDS, run } from '../../../src/cli/run.ts';
import { ALL_SETTINGS } from '../../../src/config.ts';
import { runProgram } from '../../support/process.ts';

/** What a command prints in this process. */
async function printed(...args: string[]) {
  using stdout = spyOn(process.stdout, 'write').mockReturnValue(true);
  using stderr = spyOn(process.stderr, 'write').mockReturnValue(true);
  const exitCode = await run(args);
  const textOf = (write: typeof stdout): string => write.mock.calls.map(([text]) => String(text)).join('');
  return { exitCode, stdout: textOf(stdout), stderr: textOf(stderr) };
}

describe('arguments that cannot be used end a command with code 2', () => {
  test.each([
    [['rebuld'], 'waymark: there is no command "rebuld" (did you mean "rebuild"?)'],
    [['--verion'], 'waymark: there is no command "--verion"'],
    [['serve', 'api'], 'waymark serve: the argument "api" is one too many'],
    [['serve', '--role', 'api'], 'waymark serve: there is no option "--role" (did you mean "--roles"?)'],
    [['serve', '--roles'], "waymark serve: Option '--roles <value>' argument missing"],
    [['rebuild'], 'waymark rebuild: the argument PROJECTION is missing; it must be one of activities, '],
    [['rebuild', 'bookings', 'keys'], 'waymark rebuild: the argument "keys" is one too many'],
    [
      ['migrate', 'statsu'],
      'waymark migrate: ACTION must be one of up, status; it is "statsu" (did you mean "status"?)',
    ],
    [['migrate', 'up', 'now'], 'waymark migrate: the argument "now" is one too many'],
    [['mcp', '--api-key=geheim'], 'waymark mcp: there is no option "--api-key"; the options are --help'],
    [['listen'], 'waymark listen: give the URL of your receiver: --forward-to http://localhost:4000/'],
    [['listen', '--forward-to', 'localhost'], 'waymark listen: give the URL of your receiver'],
    [
      ['listen', '--forward-to', 'http://localhost:4000', '--from', 'today'],
      'waymark listen: --from must be one of now, beginning; it is "today"',
    ],
    [['listen', '--forward-to', 'http://localhost:4000', '--secret', 'x'], '--secret must be whsec_ and base64'],
    [['listen', '--forward-to', 'http://localhost:4000'], 'waymark listen: set WAYMARK_API_KEY'],
    [['generate', '--bookings', '0'], 'waymark generate: --bookings must be a number from 1 on; it is "0"'],
    [['generate', '--days', 'two'], 'waymark generate: --days must be a number from 1 to 9999; it is "two"'],
    [['generate', '--until', 'noon'], 'waymark generate: --until must be a time as in ISO 8601; it is "noon"'],
    [['generate', '--until', '2999-01-01'], 'waymark generate: --until must not be in the future'],
    [['version', '-x'], 'waymark version: there is no option "-x"; the options are --help'],
    [['help', 'serv'], 'waymark help: COMMAND must be one of '],
  ])('%j', async (args, message) => {
    expect(await printed(...args)).toEqual({ exitCode: 2, stdout: '', stderr: expect.stringContaining(message) });
  });
});

describe('--help', () => {
  test.each(COMMANDS)('of $name prints what it declares, and runs nothing', async ({ name, ...declared }) => {
    const { exitCode, stdout, stderr } = await printed(name, '--help');
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(stdout).toStartWith(`Usage: waymark ${name}`);
    const parts = declared.arguments.map((argument) => `\n  ${argument.name} `);
    parts.push(...Object.keys(declared.options).map((option) => `\n  --${option} `));
    parts.push(...Object.keys(declared.exitCodes).map((code) => `\n  ${code}  `));
    if (declared.settings !== 'all') parts.push(...declared.settings.map((setting) => `\n  ${setting} `));
    expect(parts.filter((part) => !stdout.includes(part))).toEqual([]);
  });

  test('of serve prints every setting with its default and its bounds', async () => {
    const { stdout } = await printed('help', 'serve');
    const plain = (text: string): string => text.replaceAll('`', '');
    const missing = ALL_SETTINGS.filter(
      ({ name, accepts, default: unset }) =>
        !stdout.includes(`\n  ${name} `) || !stdout.includes(`Values: ${plain(accepts)}. Default: ${plain(unset)}.`),
    );
    expect(missing).toEqual([]);
  });
});

test('a variable that is not a setting is named in a warning with the nearest setting, without its value', async () => {
  const environment = {
    DATA_DIR: '/nowhere',
    WAYMARK_ADMIN_TOKN: 'geheim',
    WAYMARK_DATA_DIR: 'geheim',
    WAYMARK_SERVICE_HOST: 'geheim',
    MY_WAYMARK_URL: 'geheim',
  };
  const warning = (name: string, nearest: string): string =>
    `waymark: warning: ${name} is not a setting and is ignored${nearest}`;
  const { exitCode, stderr } = await runProgram(['mcp'], environment);
  expect(exitCode).toBe(2);
  expect(stderr.split('\n').slice(0, -1)).toEqual([
    warning('WAYMARK_ADMIN_TOKN', ' (did you mean "WAYMARK_ADMIN_TOKEN"?)'),
    warning('WAYMARK_DATA_DIR', ' (did you mean "DATA_DIR"?)'),
    warning('WAYMARK_SERVICE_HOST', ''),
    expect.stringContaining('waymark mcp: set WAYMARK_API_KEY'),
  ]);
});
