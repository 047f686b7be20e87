import { describe, expect, test } from 'bun:test';
import { type EventStoreServer, readEventStoreUrl } from '../../../../src/adapters/eventstoredb/server-url.ts';

const SECURE: EventStoreServer = {
  endpoints: [{ address: 'db.example.com', port: 2113 }],
  discover: false,
  tls: true,
  caFile: null,
  credentials: { username: 'waymark', password: 'secret' },
};
const INSECURE: EventStoreServer = { ...SECURE, tls: false, credentials: null };

describe('EVENTSTORE_URL', () => {
  test.each<[string, EventStoreServer]>([
    ['esdb://waymark:secret@db.example.com', SECURE],
    ['esdb://waymark:secret@db.example.com:2113/?tls=true', SECURE],
    ['  esdb://waymark:secret@db.example.com:2113/  ', SECURE],
    ['esdb+discover://waymark:secret@db.example.com', { ...SECURE, discover: true }],
    ['esdb://db.example.com?tls=false', INSECURE],
    ['esdb://db.example.com?TLS=false', INSECURE],
    ['esdb://[::1]:1113?tls=false', { ...INSECURE, endpoints: [{ address: '[::1]', port: 1113 }] }],
    [
      'esdb://a:1,b:2,c?tls=false',
      {
        ...INSECURE,
        discover: true,
        endpoints: [
          { address: 'a', port: 1 },
          { address: 'b', port: 2 },
          { address: 'c', port: 2113 },
        ],
      },
    ],
    [
      'esdb://way%40mark:p%40ss%3Aword%2F@db.example.com?tlsCAFile=%2Fetc%2Fca.pem',
      { ...SECURE, caFile: '/etc/ca.pem', credentials: { username: 'way@mark', password: 'p@ss:word/' } },
    ],
  ])('%s names a server', (text, server) => {
    expect(readEventStoreUrl(text)).toStrictEqual({ kind: 'server', server });
  });

  test.each<[string, RegExp]>([
    ['', /^must be esdb:/],
    ['https://waymark:secret@db.example.com', /^must be esdb:/],
    ['kurrentdb://waymark:secret@db.example.com', /^must be esdb:/],
    ['esdb://', /^must be esdb:/],
    ['esdb://waymark:secret@', /^must be esdb:/],
    ['esdb://waymark:secret@db example.com', /^must be esdb:/],
    ['esdb://waymark:secret@db.example.com:0', /^must be esdb:/],
    ['esdb://waymark:secret@db.example.com:65536', /^must be esdb:/],
    ['esdb://waymark:secret@a,,b', /^must be esdb:/],
    ['esdb://waymark:secret@db.example.com/events', /^must be esdb:/],
    ['esdb://waymark:sec%ret@db.example.com', /^has a user or password that is empty or not percent-encoded/],
    ['esdb://waymark:@db.example.com', /^has a user or password that is empty/],
    ['esdb://db.example.com', /^has no user and password/],
    ['esdb://waymark:secret@db.example.com?tls=false', /^has a password, which is not sent unencrypted/],
    ['esdb://db.example.com?tls=no', /^has a \?tls= that is neither/],
    ['esdb://db.example.com?tls=false&tlsCAFile=ca.pem', /^has a tlsCAFile that/],
    ['esdb://waymark:secret@db.example.com?tlsCAFile=', /^has an empty tlsCAFile/],
    ['esdb://waymark:secret@db.example.com?throwOnAppendFailure=false', /^has the option "throwOnAppendFailure"/],
    ['esdb://waymark:secret@db.example.com?tlsVerifyCert=false', /^has the option "tlsVerifyCert"/],
  ])('%p cannot be used, and no password is repeated', (text, rule) => {
    const read = readEventStoreUrl(text);
    if (read.kind !== 'fault') throw new Error('it names a server');
    expect(read.rule).toMatch(rule);
    expect(read.rule).not.toContain('secret');
  });
});
