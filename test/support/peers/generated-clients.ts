import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ROOT } from '../files.ts';
import { pythonEnvironment } from './python-environment.ts';

const SOURCE = join(import.meta.dir, 'clients');
const OAPI_CODEGEN = 'github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen';
const OAPI_CODEGEN_VERSION = 'v2.8.2';

/**
 * Generates a client from `openapi.json` in an empty folder, and builds the program that books through it.
 * @returns the command of the program
 */
export type Generator = (folder: string) => Promise<readonly string[]>;

/** The first call installs each generator into `.cache/`. */
export const GENERATORS: Readonly<Record<'TypeScript' | 'Python' | 'Go', Generator>> = {
  async TypeScript(folder) {
    const source = join(SOURCE, 'typescript');
    const packages = await npmPackages(source);
    cpSync(join(source, 'tsconfig.json'), join(folder, 'tsconfig.json'));
    // The compiler of this project reads every `*.ts`, and has neither the generated types nor the package.
    cpSync(join(source, 'book.ts.txt'), join(folder, 'book.ts'));
    symlinkSync(packages, join(folder, 'node_modules'));
    const bin = (name: string): readonly string[] => [process.execPath, join(packages, '.bin', name)];
    await run(folder, [...bin('openapi-typescript'), 'openapi.json', '--output', 'waymark.ts']);
    await run(folder, [...bin('tsc'), '--project', '.']);
    return [process.execPath, join(folder, 'book.ts')];
  },
  async Python(folder) {
    const source = join(SOURCE, 'python');
    const environment = await pythonEnvironment('openapi-python-client', join(source, 'requirements.txt'));
    const python = join(environment, 'bin', 'python3');
    const options = ['--path', 'openapi.json', '--output-path', 'waymark_client', '--meta', 'none'];
    const generator = [python, '-m', 'openapi_python_client', 'generate', '--config', join(source, 'config.yml')];
    await run(folder, [...generator, ...options]);
    cpSync(join(source, 'book.py'), join(folder, 'book.py'));
    return [python, join(folder, 'book.py')];
  },
  async Go(folder) {
    const generator = await oapiCodegen();
    for (const file of ['main.go', 'go.mod', 'go.sum']) cpSync(join(SOURCE, 'go', file), join(folder, file));
    mkdirSync(join(folder, 'waymark'));
    const options = ['-generate', 'types,client', '-package', 'waymark', '-o', 'waymark/client.go', 'openapi.json'];
    await run(folder, [generator, ...options]);
    await run(folder, ['go', 'build', '-p', '2', '-o', 'book', '.']);
    return [join(folder, 'book')];
  },
};

/** Runs a program of a generator. @returns what it has printed. @throws if it fails, with its output */
export async function run(
  folder: string,
  command: readonly string[],
  env: Readonly<Record<string, string | undefined>> = process.env,
): Promise<string> {
  const child = Bun.spawn([...command], { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const [said, error] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  if ((await child.exited) !== 0) throw new Error(`${command.join(' ')} failed:\n${said}${error}`);
  return said;
}

/** The `node_modules` of a lock file. */
function npmPackages(source: string): Promise<string> {
  const version = createHash('sha256')
    .update(readFileSync(join(source, 'package-lock.json')))
    .digest('hex')
    .slice(0, 16);
  return cached(join(ROOT, '.cache', 'openapi-typescript', version, 'node_modules'), async (folder) => {
    for (const file of ['package.json', 'package-lock.json']) cpSync(join(source, file), join(folder, file));
    await run(folder, ['npm', 'ci', '--ignore-scripts', '--no-audit', '--no-fund']);
    return join(folder, 'node_modules');
  });
}

function oapiCodegen(): Promise<string> {
  return cached(join(ROOT, '.cache', 'oapi-codegen', OAPI_CODEGEN_VERSION, 'oapi-codegen'), async (folder) => {
    const env = { ...process.env, GOBIN: folder };
    await run(folder, ['go', 'install', '-p', '2', `${OAPI_CODEGEN}@${OAPI_CODEGEN_VERSION}`], env);
    return join(folder, 'oapi-codegen');
  });
}

/** Makes a path once. An interrupted attempt leaves nothing there. @param make returns what it made in its folder */
async function cached(path: string, make: (folder: string) => Promise<string>): Promise<string> {
  if (existsSync(path)) return path;
  mkdirSync(dirname(path), { recursive: true });
  const folder = mkdtempSync(join(dirname(path), 'new-'));
  try {
    const made = await make(folder);
    if (!existsSync(path)) renameSync(made, path);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return path;
}
