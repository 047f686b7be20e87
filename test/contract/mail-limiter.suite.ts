import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { DAY_MS, HOUR_MS } from '../../src/eventsourcing/durations.ts';
import { MAX_MAILS_A_DAY, type MailLimiter, type MailTaking } from '../../src/ports/mail-limiter.ts';
import { faultOf } from '../support/fault.ts';
import type { Reopening } from './reopening.ts';

const NOW = Date.parse('2026-11-21T03:00:00Z');
const TAKEN = { kind: 'taken' } as const;
const REFUSED = { kind: 'refused' } as const;

/**
 * The contract of the port MailLimiter.
 *
 * @param open opens a limiter that has counted nothing, for one test
 */
export function mailLimiterContract(name: string, open: () => Promise<Reopening<MailLimiter>>): void {
  describe(`the mail limiter contract: ${name}`, () => {
    let opened: Reopening<MailLimiter>;
    let limiter: MailLimiter;

    beforeEach(async () => {
      opened = await open();
      limiter = opened.store;
    });
    afterEach(() => opened.close());

    /** A mail about `bk_{n}`. */
    const take = (
      n: number,
      { whenFull = 'wait', atMs = NOW, issue = 1, address = 'A' }: Change = {},
    ): Promise<MailTaking> =>
      limiter.take({ address, about: `bk_${n}`, messageId: `<bk_${n}.${issue}@waymark>` }, whenFull, atMs);
    const fill = async (atMs = NOW): Promise<void> => {
      for (let n = 1; n <= MAX_MAILS_A_DAY; n++) expect(await take(n, { atMs })).toEqual(TAKEN);
    };

    test('takes 20 mails to an address in 24 hours, and refuses the next one until 24 hours have passed', async () => {
      await fill();
      expect(await take(21, { whenFull: 'refuse' })).toEqual(REFUSED);
      expect(await take(21, { whenFull: 'refuse', atMs: NOW + DAY_MS - 1 })).toEqual(REFUSED);
      expect(await take(21, { address: 'B' })).toEqual(TAKEN);
      expect(await take(21, { whenFull: 'refuse', atMs: NOW + DAY_MS })).toEqual(TAKEN);
    });

    test('counts a mail once, however often it is taken', async () => {
      await fill();
      for (let n = 1; n <= MAX_MAILS_A_DAY; n++) expect(await take(n, { whenFull: 'refuse' })).toEqual(TAKEN);
      expect(await take(1, { whenFull: 'refuse', issue: 2 })).toEqual(REFUSED);
    });

    test('gives mails that wait their turns in order, and no more than 20 in any 24 hours', async () => {
      for (let n = 1; n <= MAX_MAILS_A_DAY; n++) await take(n, { atMs: NOW + n * HOUR_MS });
      const later = NOW + 21 * HOUR_MS;
      const turns: number[] = [];
      for (let n = 21; n <= 60; n++) {
        const taking = await take(n, { atMs: later });
        turns.push(taking.kind === 'waits' ? taking.untilMs : 0);
      }
      const [day, next] = [NOW + DAY_MS, NOW + 2 * DAY_MS];
      const hours = Array.from({ length: MAX_MAILS_A_DAY }, (_, n) => (n + 1) * HOUR_MS);
      expect(turns).toEqual([...hours.map((hour) => day + hour), ...hours.map((hour) => next + hour)]);
      expect(await take(21, { atMs: day + HOUR_MS - 1 })).toEqual({ kind: 'waits', untilMs: day + HOUR_MS });
      expect(await take(21, { atMs: day + HOUR_MS })).toEqual(TAKEN);
      expect(await take(99, { whenFull: 'refuse', atMs: day + HOUR_MS })).toEqual(REFUSED);
    });

    test('gives the turn of a mail that waits to a newer one about the same booking', async () => {
      await fill();
      const turn = { kind: 'waits', untilMs: NOW + DAY_MS } as const;
      expect(await take(21)).toEqual(turn);
      for (let issue = 2; issue <= 40; issue++) expect(await take(21, { issue })).toEqual(turn);
      expect(await take(22)).toEqual(turn);
      expect(await take(21, { issue: 40, atMs: turn.untilMs })).toEqual(TAKEN);
      expect(await take(22, { atMs: turn.untilMs })).toEqual(TAKEN);
    });

    test('decides on every mail once if many are taken at the same time', async () => {
      const takings = await Promise.all(Array.from({ length: 40 }, (_, n) => take(n, { whenFull: 'refuse' })));
      expect(takings.filter(({ kind }) => kind === 'taken')).toHaveLength(MAX_MAILS_A_DAY);
    });

    test('keeps its counts and turns when it is reopened', async () => {
      await fill();
      await take(21);
      limiter = await opened.reopen();
      expect(await take(1)).toEqual(TAKEN);
      expect(await take(21)).toEqual({ kind: 'waits', untilMs: NOW + DAY_MS });
      expect(await take(22, { whenFull: 'refuse' })).toEqual(REFUSED);
    });

    test('takes no mail after close, which may be repeated', async () => {
      await limiter.close();
      await limiter.close();
      expect(await faultOf(() => take(1))).toEqual(new Error('the mail limiter is closed'));
    });
  });
}

type Change = {
  readonly whenFull?: 'wait' | 'refuse';
  readonly atMs?: number;
  readonly issue?: number;
  readonly address?: string;
};
