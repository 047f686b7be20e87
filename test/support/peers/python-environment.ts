import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ROOT } from '../files.ts';
import { python } from './receivers.ts';

/**
 * A virtual environment with the packages of a requirements file that has hashes. It is created once, in `.cache/NAME`.
 * @returns the environment's folder
 */
export async function pythonEnvironment(name: string, requirements: string): Promise<string> {
  const version = createHash('sha256').update(readFileSync(requirements)).digest('hex').slice(0, 16);
  const environment = join(ROOT, '.cache', name, version);
  if (existsSync(environment)) return environment;
  mkdirSync(dirname(environment), { recursive: true });
  // Created beside its place, so that an interrupted installation is not taken for a complete one. Installed programs
  // contain their first path, so only `bin/python3` may be used.
  const made = mkdtempSync(join(dirname(environment), 'new-'));
  try {
    await done([python(), '-m', 'venv', made]);
    const options = ['--quiet', '--disable-pip-version-check', '--require-hashes', '-r', requirements];
    await done([join(made, 'bin', 'python3'), '-m', 'pip', 'install', ...options]);
    if (!existsSync(environment)) renameSync(made, environment);
  } finally {
    rmSync(made, { recursive: true, force: true });
  }
  return environment;
}

async function done(command: readonly string[]): Promise<void> {
  const child = Bun.spawn([...command], { stdio: ['ignore', 'pipe', 'pipe'] });
  const [said, error] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  if ((await child.exited) !== 0) throw new Error(`${command.join(' ')} failed:\n${said}${error}`);
}
