import { describe, expect, test } from 'bun:test';
import { type MongoAddress, readMongoUrl } from '../../../src/adapters/mongodb/address.ts';
import { BadConfiguration, readConfig } from '../../../src/config.ts';

describe('MONGODB_URL', () => {
  test.each<[url: string, database: string, shown: string]>([
    ['mongodb://db.example.com', 'waymark', 'db.example.com/waymark'],
    ['mongodb://db.example.com:27018/', 'waymark', 'db.example.com:27018/waymark'],
    ['mongodb://a:1,b:2,[::1]:3/tours?replicaSet=rs0&tls=true', 'tours', 'a:1,b:2,[::1]:3/tours'],
    ['mongodb+srv://ann:s%40cret@cluster.example.com/tours-2', 'tours-2', 'cluster.example.com/tours-2'],
  ])('%s', (url, database, shown) => {
    expect(readMongoUrl(url)).toEqual({ kind: 'address', address: { url, database, shown } });
  });

  const FORM = 'must be mongodb://[user:password@]host[:port][,…][/database][?options], or begin with mongodb+srv://';
  const DATABASE = 'must name a database of letters, digits, - and _, at most 38, beginning with a letter';
  const OURS = 'must not set w, journal, readConcernLevel, readPreference or retryWrites: Waymark sets them';

  test.each([
    ['http://u:secret@db.example.com', FORM],
    ['mongodb://u:secret@', FORM],
    ['mongodb://u:secret@a,,b', FORM],
    ['mongodb://u:secret@a b', FORM],
    ['mongodb://u:secret@a/b/c', FORM],
    ['mongodb://u:secret@a/b#c', FORM],
    ['mongodb://u:secret@a/tours.2', DATABASE],
    [`mongodb://u:secret@a/${'d'.repeat(39)}`, DATABASE],
    ['mongodb://u:secret@a/?w=1', OURS],
    ['mongodb://u:secret@a/tours?tls=true&READPREFERENCE=secondary', OURS],
    ['mongodb://u:secret@a/?readConcernLevel=local', OURS],
    ['mongodb://u:secret@a/?journal=false', OURS],
    ['mongodb://u:secret@a/?retryWrites=false', OURS],
  ])('%s is refused, and not repeated', (url, rule) => {
    const refused = (): unknown => readConfig({ MONGODB_URL: url }, 'command');
    expect(refused).toThrow(new BadConfiguration([`MONGODB_URL ${rule}`]));
  });

  test('is null if it is not set', () => {
    expect([readConfig({}).mongodb, readConfig({ MONGODB_URL: ' ' }, 'command').mongodb]).toEqual([null, null]);
    const address: MongoAddress = { url: 'mongodb://a/b', database: 'b', shown: 'a/b' };
    expect(readConfig({ MONGODB_URL: 'mongodb://a/b' }, 'command').mongodb).toEqual(address);
  });
});
