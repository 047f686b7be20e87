import { describe, expect, test } from 'bun:test';
import { type Envelope, Mailbox } from '../../../src/actors/mailbox.ts';

const envelope = (message: string): Envelope<string, string> => ({
  message,
  sentMs: 0,
  deadlineMs: 0,
  reply: () => {},
});
const messages = (envelopes: readonly Envelope<string, string>[]): string[] => envelopes.map(({ message }) => message);

function filled(limit: number, ...texts: string[]): Mailbox<string, string> {
  const mailbox = new Mailbox<string, string>(limit);
  for (const text of texts) mailbox.offer(envelope(text));
  return mailbox;
}

describe('a mailbox', () => {
  test('is first in, first out', () => {
    const mailbox = filled(10, 'a', 'b', 'c', 'd');
    expect(messages(mailbox.take(1))).toEqual(['a']);
    expect(messages(mailbox.take(2))).toEqual(['b', 'c']);
    mailbox.offer(envelope('e'));
    expect(messages(mailbox.take(10))).toEqual(['d', 'e']);
    expect(messages(mailbox.take(10))).toEqual([]);
  });

  test('accepts messages up to its limit, and refuses one more', () => {
    const mailbox = filled(2, 'a');
    expect([mailbox.offer(envelope('b')), mailbox.offer(envelope('c')), mailbox.size]).toEqual([true, false, 2]);
    expect(messages(mailbox.take(10))).toEqual(['a', 'b']);
  });

  test('has room again after messages were taken', () => {
    const mailbox = filled(2, 'a', 'b');
    mailbox.take(1);
    expect([mailbox.offer(envelope('c')), mailbox.offer(envelope('d'))]).toEqual([true, false]);
    expect(messages(mailbox.take(2))).toEqual(['b', 'c']);
  });

  test('does not change taken batches when messages arrive', () => {
    const mailbox = filled(10, 'a', 'b');
    const taken = mailbox.take(2);
    mailbox.offer(envelope('c'));
    expect([messages(taken), mailbox.size]).toEqual([['a', 'b'], 1]);
  });
});
