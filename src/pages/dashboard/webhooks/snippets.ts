import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** What an example needs only to run a server. */
const OF_SERVER = /^(?:import (?:queue|sys|threading|time)|from http\.server .*)\n/gm;

/**
 * The part of an example in `examples/` that verifies signatures. A macro: the bundler calls it and bundles the text.
 *
 * @throws if the example has no such part
 */
export function verifyingPart(file: 'verify-webhook.ts' | 'verify-webhook.py'): string {
  const text = readFileSync(join(import.meta.dir, '../../../../examples', file), 'utf8');
  const end = text.search(/^(?:\/\*\* Answers when|def receiver\()/m);
  const begin = text.search(/^import /m);
  if (begin < 0 || end < begin) throw new Error(`examples/${file} has no part that verifies signatures`);
  return `${text.slice(begin, end).replace(OF_SERVER, '').trimEnd()}\n`;
}
