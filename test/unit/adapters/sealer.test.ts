import { describe, expect, test } from 'bun:test';
import { systemSealer } from '../../../src/adapters/system/sealer.ts';
import { SealBroken } from '../../../src/ports/sealer.ts';

const sealer = systemSealer(new Uint8Array(32).fill(7));
const plain = Buffer.from('what nobody else may read');
const sealed = await sealer.seal(plain, 'a test');
const bytes = Buffer.from(sealed, 'base64url');

describe('a sealed text', () => {
  test('can be opened with the same secret for the same purpose', () => {
    expect(Buffer.from(sealer.open(sealed, 'a test'))).toEqual(plain);
    expect(Buffer.from(systemSealer(new Uint8Array(32).fill(7)).open(sealed, 'a test'))).toEqual(plain);
  });

  test('reveals nothing of the plain text, and differs each time', async () => {
    const again = await Promise.all(Array.from({ length: 50 }, () => sealer.seal(plain, 'a test')));
    expect(new Set(again).size).toBe(50);
    expect(again.some((text) => Buffer.from(text, 'base64url').includes(plain))).toBe(false);
  });

  test('names the wrong setting if the secret differs', () => {
    expect(() => systemSealer(new Uint8Array(32).fill(8)).open(sealed, 'a test')).toThrow(new SealBroken('a test'));
  });

  test('cannot be opened for another purpose', () => {
    expect(() => sealer.open(sealed, 'another test')).toThrow(SealBroken);
  });

  test('cannot be opened if any byte was changed', () => {
    const opened = [...bytes.keys()].filter((at) => {
      const changed = Buffer.from(bytes);
      changed[at] = (changed[at] ?? 0) ^ 1;
      return opens(changed);
    });
    expect(opened).toEqual([]);
  });

  test('cannot be opened if it was truncated anywhere', () => {
    expect([...bytes.keys()].filter((length) => opens(bytes.subarray(0, length)))).toEqual([]);
  });
});

function opens(changed: Uint8Array): boolean {
  try {
    sealer.open(Buffer.from(changed).toString('base64url'), 'a test');
    return true;
  } catch {
    return false;
  }
}
