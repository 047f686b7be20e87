import { expect, test } from 'bun:test';
import { interruptInTerminal, runProgram, startService } from '../support/process.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const PATIENCE_MS = 60_000;
/** The bar, which ends in the names of the projections. */
const BAR = /\] \d+ % *.*\(bookings\)/;

test(
  'Ctrl-C during a rebuild ends the command with code 1; the same command resumes the rebuild',
  async () => {
    using room = temporaryDirectory();
    const settings = { DATA_DIR: room.file('data') };
    await generate(settings);

    const { exitCode, shown } = await interruptInTerminal(['rebuild', 'bookings'], settings, BAR);
    expect(linesAfterBar(shown)).toEqual([
      'waymark rebuild: the rebuild of "bookings" was interrupted and can be resumed; the old build still serves',
    ]);
    expect(exitCode).toBe(1);

    const resumed = await runProgram(['rebuild', 'bookings'], settings);
    expect({ exitCode: resumed.exitCode, stderr: resumed.stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(resumed.stdout).toMatch(/\.b2; 0 documents differed from the old build\n$/);
  },
  PATIENCE_MS,
);

test(
  'Ctrl-C ends the command with code 1 while the service goes on with the rebuild',
  async () => {
    using room = temporaryDirectory();
    const settings = { DATA_DIR: room.file('data'), PORT: '0' };
    await generate(settings);
    await using service = await startService(settings);

    const { exitCode, shown } = await interruptInTerminal(['rebuild', 'all'], settings, /\] \d+ % *.*\(activities\)/);
    const [message, ...further] = linesAfterBar(shown);
    expect(message).toStartWith(
      `waymark rebuild: interrupted; the service at ${service.url} goes on with the rebuild of "activities" if it has begun it, and does not begin that of audit, `,
    );
    expect(further).toEqual([]);
    expect(exitCode).toBe(1);

    const line = await service.program.stdout.line(/^\{.*"projection rebuilt"\}$/);
    expect(JSON.parse(line?.[0] ?? '{}')).toMatchObject({ projection: 'activities', differences: 0 });
  },
  PATIENCE_MS,
);

/** Enough events for several batches of a rebuild. */
async function generate(settings: { readonly DATA_DIR: string }): Promise<void> {
  const { exitCode, stderr } = await runProgram(['generate', '--bookings', '5000', '--json'], settings);
  if (exitCode !== 0) throw new Error(`generate ended with code ${exitCode}: ${stderr}`);
}

/** What follows the line of the bar, with which the terminal shows `^C`. */
function linesAfterBar(shown: string): readonly string[] {
  const [bar = '', ...lines] = shown.split('\r\n');
  expect(bar).toContain('^C');
  return lines.filter((line) => line !== '');
}
