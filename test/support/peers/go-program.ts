import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { ROOT } from '../files.ts';
import { type TemporaryDirectory, temporaryDirectory } from '../temporary-directory.ts';

export type GoProgram = {
  readonly name: string;
  /** The folder of its module, or where its file stands. */
  readonly folder: string;
  /** Everything that it is made of, in the folder. */
  readonly files: readonly [string, ...string[]];
  /** What is changed in a module that it needs: in words that change with it, and a `go.mod` that names the changed copy. */
  readonly mended?: { readonly how: string; modules(directory: TemporaryDirectory): Promise<string> };
};

/** How long a first build may take, on a slow machine. */
export const BUILD_MS = 900_000;

/**
 * Builds a program where that has not been done for its very sources. Without a `go.mod` it is its one file.
 *
 * @returns the program's path
 * @throws where there is no Go, or the build fails; with what it said
 */
export async function buildWithGo({ name, folder, files, mended }: GoProgram): Promise<string> {
  const sources = createHash('sha256');
  for (const file of files) sources.update(readFileSync(join(folder, file)));
  if (mended !== undefined) sources.update(mended.how);
  const program = join(ROOT, '.cache', name, sources.digest('hex').slice(0, 16), basename(name));
  if (existsSync(program)) return program;
  if (Bun.which('go') === null) {
    throw new Error(`${name} is built with Go, 1.24 or newer, and there is no program "go" on the PATH`);
  }
  mkdirSync(dirname(program), { recursive: true });
  const built = `${program}.${process.pid}`;
  const target = files.includes('go.mod') ? '.' : files[0];
  using directory = temporaryDirectory();
  const modules = mended === undefined ? [] : [`-modfile=${await mended.modules(directory)}`];
  await go(folder, ['build', '-p', '2', '-trimpath', '-buildvcs=false', ...modules, '-o', built, target]);
  // Two that build at once do the same.
  renameSync(built, program);
  return program;
}

/** What the command wrote. @throws where it fails, with what it said */
export async function go(folder: string, command: readonly string[]): Promise<string> {
  const child = Bun.spawn(['go', ...command], { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] });
  const [wrote, said] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  if ((await child.exited) !== 0) throw new Error(`go ${command[0]} failed in ${folder}:\n${said.slice(-2_000)}`);
  return wrote;
}
