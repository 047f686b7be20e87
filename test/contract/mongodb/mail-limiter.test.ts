import { describe, expect, test } from 'bun:test';
import { openMailLimiter } from '../../../src/adapters/mongodb/mail-limiter.ts';
import { MAX_MAILS_A_DAY } from '../../../src/ports/mail-limiter.ts';
import { mailLimiterContract } from '../mail-limiter.suite.ts';
import { reopening } from '../reopening.ts';
import { mongoServers } from './servers.ts';

for (const server of mongoServers()) {
  mailLimiterContract(server.name, async () => {
    const database = server.empty();
    const open = async () => openMailLimiter(await database.open());
    return reopening(await open(), open, () => database.remove());
  });

  describe(`two nodes on ${server.name}`, () => {
    test('take no more mails to an address together than one node', async () => {
      const database = server.empty();
      const nodes = [openMailLimiter(await database.open()), openMailLimiter(await database.open())] as const;
      const takings = await Promise.all(
        Array.from({ length: 40 }, (_, n) => {
          const mail = { address: 'A', about: `bk_${n}`, messageId: `<bk_${n}.1@waymark>` };
          return nodes[n % 2 === 0 ? 0 : 1].take(mail, 'refuse', Date.parse('2026-11-21T03:00:00Z'));
        }),
      );
      expect(takings.filter(({ kind }) => kind === 'taken')).toHaveLength(MAX_MAILS_A_DAY);
      await database.remove();
    });
  });
}
