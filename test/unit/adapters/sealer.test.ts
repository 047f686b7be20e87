import { describe, expect, test } from 'bun:test';
import { systemSealer } from '../../../src/adapters/system/sealer.ts';
import { SealBroken } from '../../../src/ports/sealer.ts';

const sealer = systemSealer(new Uint8Array(32).fill(7));
const plain = Buffer.from('what nobody else may read');
const sealed = sealer.seal(plain, 'a test');
const bytes = Buffer.from(sealed, 'base64url');

describe('a sealed text', () => {
  test('is opened under the same secret for the same purpose', () => {
    expect(Buffer.from(sealer.open(sealed, 'a test'))).toEqual(plain);
    expect(Buffer.from(systemSealer(new Uint8Array(32).fill(7)).open(sealed, 'a test'))).toEqual(plain);
  });

  test('shows nothing of what was sealed, and is another one each time', () => {
    const again = Array.from({ length: 50 }, () => sealer.seal(plain, 'a test'));
    expect(new Set(again).size).toBe(50);
    expect(again.some((text) => Buffer.from(text, 'base64url').includes(plain))).toBe(false);
  });

  test('says which setting is wrong under another secret', () => {
    expect(() => systemSealer(new Uint8Array(32).fill(8)).open(sealed, 'a test')).toThrow(new SealBroken('a test'));
  });

  test('is not opened for another purpose', () => {
    expect(() => sealer.open(sealed, 'another test')).toThrow(SealBroken);
  });

  test('is not opened with any one byte changed', () => {
    const opened = [...bytes.keys()].filter((at) => {
      const changed = Buffer.from(bytes);
      changed[at] = (changed[at] ?? 0) ^ 1;
      return opens(changed);
    });
    expect(opened).toEqual([]);
  });

  test('is not opened cut off anywhere', () => {
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
