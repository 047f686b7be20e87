import { expect, test } from 'bun:test';
import { cpSync, existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../../support/files.ts';
import { Program } from '../../support/process.ts';
import { type TemporaryDirectory, temporaryDirectory } from '../../support/temporary-directory.ts';
import { composeFile } from './compose-file.ts';
import { copyOf, dockerfile, execForm, only, pairsOf } from './dockerfile.ts';

/** An install from an empty cache and the start of the service, on a slow core. */
const PATIENCE_MS = 180_000;

const { packages, image } = dockerfile();

test(
  'given what the Dockerfile copies and runs, and nothing else, the service starts, is healthy, ends in order, and has written nothing beside its data',
  async () => {
    using app = temporaryDirectory();
    using data = temporaryDirectory();
    await buildInto(app);
    const before = writtenIn(app.path);
    expect(before.size).toBeGreaterThan(1_000);

    await using service = new Program(inside(app, [...execForm(only(image, 'ENTRYPOINT')), 'serve']), {
      ...settingsOf(data),
      PORT: '0',
    });
    const listening = await service.stdout.line(/"url":"http:\/\/0\.0\.0\.0:(?<port>\d+)".*"msg":"listening"/);
    expect([listening === null, service.stderr.text]).toEqual([false, '']);
    const port = listening?.groups?.['port'] ?? '';
    await using check = new Program(inside(app, execForm(healthCheck())), { PORT: port });
    expect([await check.ended(), check.stderr.text]).toEqual([0, '']);
    expect([await service.terminate(), service.stderr.text]).toEqual([0, '']);

    await using late = new Program(inside(app, execForm(healthCheck())), { PORT: port });
    expect(await late.ended()).not.toBe(0);
    expect(writtenIn(app.path)).toEqual(before);
    expect(readdirSync(data.path)).toContain('events.db');
  },
  PATIENCE_MS,
);

/** The first stage, instruction by instruction, in a directory that stands for /app. */
async function buildInto(app: TemporaryDirectory): Promise<void> {
  for (const { name, text } of packages) {
    if (name === 'COPY') copy(copyOf(text), app);
    if (name === 'RUN') await run(text, app);
  }
}

function copy({ sources, target }: ReturnType<typeof copyOf>, app: TemporaryDirectory): void {
  for (const source of sources) {
    // What Docker does: a folder's contents go into the target, a file keeps its name there.
    const folder = statSync(join(ROOT, source)).isDirectory();
    cpSync(join(ROOT, source), folder ? app.file(target) : app.file(join(target, source)), { recursive: true });
  }
}

/** Inherits the user's caches, which already hold the installed packages. */
async function run(command: string, app: TemporaryDirectory): Promise<void> {
  const child = Bun.spawn(['sh', '-c', command], { cwd: app.path, stdio: ['ignore', 'ignore', 'pipe'] });
  const [said, exitCode] = await Promise.all([child.stderr.text(), child.exited]);
  if (exitCode !== 0) throw new Error(`"${command}" ended with ${exitCode}:\n${said}`);
}

/** A command of the image where /app lies elsewhere. */
function inside(app: TemporaryDirectory, command: readonly string[]): string[] {
  return command.map((word) => word.replace(/^\/app\//, `${app.path}/`));
}

/** The image's settings; of those that Compose adds, what production demands. */
function settingsOf(data: TemporaryDirectory): Record<string, string> {
  const written = composeFile().services['waymark']?.environment?.['TRUSTED_PROXIES'];
  // As Compose reads it where the variable is not set.
  const behindProxy = String(written).replace(/\$\{\w+:-([^}]+)\}/g, '$1');
  return {
    ...pairsOf(only(image, 'ENV')),
    DATA_DIR: data.path,
    TRUSTED_PROXIES: behindProxy,
    OPEN_METEO_URL: 'off',
  };
}

function healthCheck(): string {
  return only(image, 'HEALTHCHECK').replace(/^(--\S+ )+CMD /, '');
}

/** Every file below with the time it was last written. */
function writtenIn(folder: string): Map<string, number> {
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((path) =>
    existsSync(join(folder, path)),
  );
  return new Map(paths.toSorted().map((path) => [path, statSync(join(folder, path)).mtimeMs]));
}
