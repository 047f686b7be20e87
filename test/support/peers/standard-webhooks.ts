import { join } from 'node:path';
import { Webhook, WebhookVerificationError } from 'standardwebhooks';
import type { Captured } from '../captures.ts';
import { buildWithGo } from './go-program.ts';
import { pythonEnvironment } from './python-environment.ts';

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
    return asked(
      [
        join(await pythonEnvironment('standard-webhooks-python', join(SOURCE, 'requirements.txt')), 'bin', 'python3'),
        join(SOURCE, 'verify.py'),
      ],
      requests,
    );
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
