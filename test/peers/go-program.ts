import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { ROOT } from '../architecture/files.ts';

export type GoProgram = {
  readonly name: string;
  /** The folder of its module, or where its file stands. */
  readonly folder: string;
  /** Everything that it is made of, in the folder. */
  readonly files: readonly [string, ...string[]];
};

/** How long a first build may take, on a slow machine. */
export const BUILD_MS = 900_000;

/**
 * Builds a program where that has not been done for its very sources. Without a `go.mod` it is its one file.
 *
 * @returns the program's path
 * @throws where there is no Go, or the build fails; with what it said
 */
export async function buildWithGo({ name, folder, files }: GoProgram): Promise<string> {
  const sources = createHash('sha256');
  for (const file of files) sources.update(readFileSync(join(folder, file)));
  const program = join(ROOT, '.cache', name, sources.digest('hex').slice(0, 16), basename(name));
  if (existsSync(program)) return program;
  if (Bun.which('go') === null) {
    throw new Error(`${name} is built with Go, 1.24 or newer, and there is no program "go" on the PATH`);
  }
  mkdirSync(dirname(program), { recursive: true });
  const built = `${program}.${process.pid}`;
  const target = files.includes('go.mod') ? '.' : files[0];
  const child = Bun.spawn(['go', 'build', '-p', '2', '-trimpath', '-buildvcs=false', '-o', built, target], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const said = await child.stderr.text();
  if ((await child.exited) !== 0) throw new Error(`${name} was not built:\n${said.slice(-2_000)}`);
  // Two that build at once do the same.
  renameSync(built, program);
  return program;
}
