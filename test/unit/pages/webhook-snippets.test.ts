import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { verifyingPart } from '../../../src/pages/dashboard/webhooks/snippets.ts';
import { ROOT } from '../../support/files.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

test.each(['verify-webhook.ts', 'verify-webhook.py'] as const)(
  'the part of %s is of the tested example',
  async (file) => {
    const part = verifyingPart(file);
    const example = await Bun.file(join(ROOT, 'examples', file)).text();
    const lines = part.split('\n');
    expect(lines.filter((line) => !example.split('\n').includes(line))).toEqual([]);
    expect(part).toMatch(/verify_?webhook/i);
    expect(part).not.toMatch(/queue|threading|import\.meta|Bun\.serve|BaseHTTPRequestHandler/);
  },
);

test('the part in TypeScript verifies a signature by itself', async () => {
  using directory = temporaryDirectory();
  const secret = 'whsec_MzIgYnl0ZXMsIHdoaWNoIG9ubHkgYSB0ZXN0IHVzZXM=';
  const signature = `sha256=${new Bun.CryptoHasher('sha256', secret).update('{}').digest('hex')}`;
  const verified = (body: string) => `verifyBodySignature('${signature}', '${body}', '${secret}')`;
  const file = directory.file('verify-webhook.ts');
  await Bun.write(file, `${verifyingPart('verify-webhook.ts')}\nconsole.log(${verified('{}')}, ${verified('{ }')});`);
  expect(Bun.spawnSync([process.execPath, file]).stdout.toString()).toBe('true false\n');
});
