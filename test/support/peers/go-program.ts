import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { ROOT } from '../files.ts';
import { type TemporaryDirectory, temporaryDirectory } from '../temporary-directory.ts';

export type GoProgram = {
  readonly name: string;
  /** The folder of its module or of its only file. */
  readonly folder: string;
  /** Its source files, in the folder. */
  readonly files: readonly [string, ...string[]];
  /** A patch of a required module: a text that changes with the patch, and a `go.mod` that names the patched copy. */
  readonly mended?: { readonly how: string; modules(directory: TemporaryDirectory): Promise<string> };
};

/** How long a first build may take, on a slow machine. */
export const BUILD_MS = 900_000;

/**
 * Builds a program, unless it was built from the same sources before. Without a `go.mod` it is a single file.
 *
 * @returns the program's path
 * @throws if Go is missing or the build fails, with its output
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
  // Concurrent builds produce the same file.
  renameSync(built, program);
  return program;
}

/** The output of a command. @throws if it fails, with its output */
export async function go(folder: string, command: readonly string[]): Promise<string> {
  const child = Bun.spawn(['go', ...command], { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] });
  const [wrote, said] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  if ((await child.exited) !== 0) throw new Error(`go ${command[0]} failed in ${folder}:\n${said.slice(-2_000)}`);
  return wrote;
}
