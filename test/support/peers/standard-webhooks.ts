import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Webhook, WebhookVerificationError } from 'standardwebhooks';
import type { Captured } from '../captures.ts';
import { ROOT } from '../files.ts';
import { buildWithGo } from './go-program.ts';
import { python } from './receivers.ts';

const SOURCE = join(import.meta.dir, 'standard-webhooks');

export type Verdict = 'accepted' | 'refused';

/** An official library of Standard Webhooks: its verdict on requests, each with a secret. */
export type Library = (requests: readonly (Captured & { readonly secret: string })[]) => Promise<readonly Verdict[]>;

/** The libraries by registry. The first call builds their programs, with Go and with pip into `.cache/`. */
export const LIBRARIES: Readonly<Record<'npm' | 'PyPI' | 'Go', Library>> = {
  async npm(requests) {
    return Promise.resolve(requests.map(({ secret, headers, body }) => verdictOf(new Webhook(secret), body, headers)));
  },
  async PyPI(requests) {
    return asked([join(await pythonEnvironment(), 'bin', 'python3'), join(SOURCE, 'verify.py')], requests);
  },
  async Go(requests) {
    const files = ['verify.go', 'go.mod', 'go.sum'] as const;
    return asked([await buildWithGo({ name: 'standard-webhooks', folder: SOURCE, files })], requests);
  },
};

function verdictOf(webhook: Webhook, body: string, headers: Captured['headers']): Verdict {
  try {
    webhook.verify(body, headers);
    return 'accepted';
  } catch (fault) {
    if (fault instanceof WebhookVerificationError) return 'refused';
    throw fault;
  }
}

async function asked(command: readonly string[], requests: Parameters<Library>[0]): Promise<readonly Verdict[]> {
  const lines = requests.map((request) =>
    JSON.stringify({ ...request, body: Buffer.from(request.body).toString('base64') }),
  );
  const child = Bun.spawn([...command], {
    stdio: [new TextEncoder().encode(lines.join('\n')), 'pipe', 'pipe'],
  });
  const [said, error] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  if ((await child.exited) !== 0) throw new Error(`${command.join(' ')} failed:\n${error}`);
  return said
    .split('\n')
    .slice(0, -1)
    .map((line) => {
      if (line !== 'accepted' && line !== 'refused') throw new Error(`neither accepted nor refused: ${line}`);
      return line;
    });
}

/** A virtual environment with this version of the library, created once. */
async function pythonEnvironment(): Promise<string> {
  const requirements = join(SOURCE, 'requirements.txt');
  const version = createHash('sha256').update(readFileSync(requirements)).digest('hex').slice(0, 16);
  const cache = join(ROOT, '.cache', 'standard-webhooks-python');
  const environment = join(cache, version);
  if (existsSync(environment)) return environment;
  mkdirSync(cache, { recursive: true });
  // Made beside its place: one that was broken off is never taken for a whole one. Its programs know their own path, but
  // only that of Python is used, which goes by where it stands.
  const made = mkdtempSync(join(cache, 'new-'));
  try {
    await done([python(), '-m', 'venv', made]);
    await done([
      join(made, 'bin', 'python3'),
      '-m',
      'pip',
      'install',
      '--quiet',
      '--require-hashes',
      '-r',
      requirements,
    ]);
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
