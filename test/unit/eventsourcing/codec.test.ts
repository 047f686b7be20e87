import { describe, expect, test } from 'bun:test';
import { codec, UnknownEvent } from '../../../src/eventsourcing/codec.ts';

type Event =
  | { readonly type: 'Moved'; readonly data: { readonly city: string; readonly floor: number; readonly lift: boolean } }
  | { readonly type: 'Left'; readonly data: Record<string, never> };

/** `Moved` has been changed twice: a floor came, then a lift that knows it from the floor. */
const tenant = codec<Event>('tenant', {
  Moved: [(facts) => ({ ...facts, floor: 0 }), (facts) => ({ ...facts, lift: facts['floor'] !== 0 })],
  Left: [],
});

const moved: Event = { type: 'Moved', data: { city: 'Hanoi', floor: 4, lift: true } };

describe('a codec', () => {
  test('states the present version of every type: one more than its upcasters', () => {
    expect(tenant.versions).toStrictEqual({ Moved: 3, Left: 1 });
    expect(tenant.category).toBe('tenant');
  });

  test('encodes an event under its present version, its facts unchanged', () => {
    expect(tenant.encode(moved)).toStrictEqual({ type: 'Moved.v3', data: moved.data });
    expect(tenant.encode({ type: 'Left', data: {} })).toStrictEqual({ type: 'Left.v1', data: {} });
  });

  test('decodes what it encoded', () => {
    expect(tenant.decode(tenant.encode(moved))).toStrictEqual(moved);
  });

  test('upcasts the oldest version through every step, in order', () => {
    const stored = { type: 'Moved.v1', data: { city: 'Hanoi' } };
    expect(tenant.decode(stored)).toStrictEqual({ type: 'Moved', data: { city: 'Hanoi', floor: 0, lift: false } });
  });

  test('upcasts a version in the middle through the later steps only', () => {
    const stored = { type: 'Moved.v2', data: { city: 'Hanoi', floor: 7 } };
    expect(tenant.decode(stored)).toStrictEqual({ type: 'Moved', data: { city: 'Hanoi', floor: 7, lift: true } });
  });

  test('leaves what is stored as it was', () => {
    const stored = { type: 'Moved.v1', data: { city: 'Hanoi' } };
    tenant.decode(stored);
    expect(stored).toStrictEqual({ type: 'Moved.v1', data: { city: 'Hanoi' } });
  });

  test.each([
    ['a version that a newer node wrote', 'Moved.v4'],
    ['a version before the first', 'Moved.v0'],
    ['a type without a version', 'Moved'],
    ['a type of no one', 'Vanished.v1'],
    ['a name that every object has', 'constructor'],
  ])('does not guess at %s: %p', (_, type) => {
    const decode = () => tenant.decode({ type, data: {} });
    expect(decode).toThrow(UnknownEvent);
    expect(decode).toThrow(`"tenant" has no event type "${type}"`);
  });

  test('does not encode an event of another category', () => {
    const foreign = { type: 'Signed', data: {} } as unknown as Event;
    expect(() => tenant.encode(foreign)).toThrow(UnknownEvent);
  });
});
