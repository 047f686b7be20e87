import { describe, expect, test } from 'bun:test';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { checkVoucherToken } from '../../../examples/check-voucher-token.ts';
import { publishedKeys } from '../../../src/vouchers/signing-key.ts';
import { readToken, signToken, type VoucherFacts } from '../../../src/vouchers/token.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { anyFacts, keyNumber, otherKey, published, someCode, someFacts, someKey } from './given.ts';

const ROOT = join(import.meta.dir, '..', '..', '..');
const EXAMPLE = 'examples/check-voucher-token.ts';
const keys = publishedKeys([someKey, otherKey]);
const token = signToken(someFacts, someKey);

/** The facts in the format of the example. */
function voucherOf({ validUntilMs, ...facts }: VoucherFacts) {
  return { ...facts, validUntil: new Date(validUntilMs) };
}

describe('the example that checks a token offline', () => {
  test('returns the signed facts', () => {
    fc.assert(
      fc.property(anyFacts, (facts) => {
        expect(checkVoucherToken(signToken(facts, otherKey), keys)).toEqual(voucherOf(facts));
      }),
    );
  });

  test('accepts lower case and surrounding white space', () => {
    expect(checkVoucherToken(` ${token.toLowerCase()}\r\n`, keys)).toEqual(voucherOf(someFacts));
  });

  test('refuses a token with any one character replaced, as the service does', () => {
    const changed = Array.from(token, (character, at) => {
      const other = character === '0' ? '8' : '0';
      return token.slice(0, at) + other + token.slice(at + 1);
    });
    expect(changed.filter((text) => checkVoucherToken(text, keys) !== null)).toEqual([]);
    expect(changed.filter((text) => readToken(text, published).kind === 'token')).toEqual([]);
  });

  test.each([
    ['nothing', ''],
    ['a voucher code', someCode],
    ['a token without its signature', token.slice(0, -104)],
    ['a key that was never published', signToken(someFacts, keyNumber(3, 'KEY00003'))],
    ['another key under the name of a published one', signToken(someFacts, keyNumber(3, someKey.kid))],
    ['a second spelling of the signature', `${token.slice(0, -1)}1`],
    ['a letter that only turns into ASCII in upper case', token.replace('SIAM', '\u017FIAM')],
  ])('refuses %s', (_, text) => {
    expect(checkVoucherToken(text, keys)).toBeNull();
  });

  test('runs as the command in its header comment', () => {
    using directory = temporaryDirectory();
    const file = directory.file('keys.json');
    writeFileSync(file, JSON.stringify(keys));
    const run = (text: string) => Bun.spawnSync([process.execPath, EXAMPLE, file, text], { cwd: ROOT });
    const [good, bad] = [run(token), run(token.replace('2+1', '9+1'))];
    expect([good.exitCode, JSON.parse(good.stdout.toString())]).toEqual([
      0,
      JSON.parse(JSON.stringify(voucherOf(someFacts))),
    ]);
    expect([bad.exitCode, bad.stdout.toString()]).toEqual([1, 'null\n']);
  });

  test('is quoted unchanged in the API guide', () => {
    const source = readFileSync(join(ROOT, EXAMPLE), 'utf8');
    const shown = source.slice(source.indexOf('const DIGITS'), source.indexOf('\nif (import.meta.main)'));
    expect(shown.length).toBeGreaterThan(1_000);
    expect(readFileSync(join(ROOT, 'docs', 'api.md'), 'utf8')).toContain(shown);
  });
});
