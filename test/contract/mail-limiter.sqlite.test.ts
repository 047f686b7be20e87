import { Database } from 'bun:sqlite';
import { expect, test } from 'bun:test';
import { openMailLimiter } from '../../src/adapters/sqlite/mail-limiter.ts';
import { DAY_MS } from '../../src/eventsourcing/durations.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { mailLimiterContract } from './mail-limiter.suite.ts';
import { reopening } from './reopening.ts';

mailLimiterContract('embedded, SQLite', async () => {
  const directory = temporaryDirectory();
  const open = () => openMailLimiter(directory.file('mails.db'));
  return reopening(open(), open, () => directory.remove());
});

test('the rows of addresses that no mail counts for are deleted once a day', async () => {
  const directory = temporaryDirectory();
  const limiter = openMailLimiter(directory.file('mails.db'));
  const take = (address: string, atMs: number) =>
    limiter.take({ address, about: 'bk_1', messageId: `<${address}>` }, 'wait', atMs);
  const addresses = () => {
    using foreign = new Database(directory.file('mails.db'), { readonly: true });
    return foreign.query<{ address: string }, []>('SELECT address FROM mails ORDER BY address').all();
  };
  await take('A', 1_000);
  await take('B', DAY_MS);
  await take('C', DAY_MS + 1_000);
  expect(addresses()).toEqual([{ address: 'B' }, { address: 'C' }]);
  await limiter.close();
  directory.remove();
});
