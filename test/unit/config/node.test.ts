import { describe, expect, test } from 'bun:test';
import { BadConfiguration, readConfig } from '../../../src/config.ts';
import { STREAM_CATEGORIES } from '../../../src/domain/codecs.ts';

const ENGINES = { EVENTSTORE_URL: 'esdb://127.0.0.1:2113?tls=false', MONGODB_URL: 'mongodb://127.0.0.1:27017/' };
const SHARED = {
  WAYMARK_SECRET_KEY: '5a'.repeat(32),
  WAYMARK_ADMIN_TOKEN: 'admin-token-0123456789',
  WAYMARK_ANALYST_TOKEN: 'analyst-token-0123456789',
};
const SPLIT = { PUBLIC_URL: 'https://waymark.example', SMTP_URL: 'smtp://127.0.0.1:2525' };

/** The settings that are found fault with, in the order of the message. */
function faulty(settings: Readonly<Record<string, string>>, use?: 'serve' | 'command'): string[] {
  try {
    readConfig(settings, use);
    return [];
  } catch (fault) {
    if (!(fault instanceof BadConfiguration)) throw fault;
    return fault.message
      .split('\n')
      .slice(1)
      .map((line) => line.trim().split(' ')[0] ?? '');
  }
}

describe('the engines', () => {
  test('are embedded by default, and the process has all roles', () => {
    const { eventStore, mongodb, roles } = readConfig({});
    expect([eventStore, mongodb, [...roles]]).toEqual([null, null, ['api', 'projector', 'deliverer']]);
  });

  test('are set together', () => {
    expect(faulty({ ...SHARED, MONGODB_URL: ENGINES.MONGODB_URL })).toEqual(['EVENTSTORE_URL']);
    expect(faulty({ ...SHARED, EVENTSTORE_URL: ENGINES.EVENTSTORE_URL })).toEqual(['EVENTSTORE_URL']);
    expect(faulty({ ...SHARED, ...ENGINES })).toEqual([]);
  });

  test('are shared by nodes with the same secrets', () => {
    expect(faulty(ENGINES)).toEqual(['WAYMARK_SECRET_KEY', 'WAYMARK_ADMIN_TOKEN', 'WAYMARK_ANALYST_TOKEN']);
  });

  test('may be incomplete for a command', () => {
    expect(faulty({ MONGODB_URL: ENGINES.MONGODB_URL }, 'command')).toEqual([]);
  });

  test('are checked by their URLs, and the message shows no password', () => {
    const bad = { ...SHARED, EVENTSTORE_URL: 'http://u:geheim@host', MONGODB_URL: 'postgres://u:geheim@host' };
    expect(faulty(bad)).toEqual(['EVENTSTORE_URL', 'MONGODB_URL']);
    expect(() => readConfig(bad)).not.toThrow('geheim');
  });
});

describe('the prefix of streams', () => {
  const read = (prefix: string) => readConfig({ ...ENGINES, ...SHARED, WAYMARK_STREAM_PREFIX: prefix }).streamPrefix;
  const refused = (prefix: string) => faulty({ ...ENGINES, ...SHARED, WAYMARK_STREAM_PREFIX: prefix });

  test('is empty by default', () => {
    expect([readConfig({}).streamPrefix, read(''), read('  ')]).toEqual(['', '', '']);
  });

  test.each(['x', 'East_2.', 'eu-west-1-', '_', '.', 'bookings-', 'booking', 'a'.repeat(64)])('may be %j', (prefix) => {
    expect(read(prefix)).toBe(prefix);
  });

  test.each(['$x', 'a b', 'a/b', 'ä', 'a\u00ADb', 'a:b', 'a'.repeat(65)])('is refused: %j', (prefix) => {
    expect(refused(prefix)).toEqual(['WAYMARK_STREAM_PREFIX']);
  });

  test.each(['booking-', 'my-booking-', 'mybooking-eu_', 'checkpoint-x'])(
    'is refused where streams would look like those of another installation: %j',
    (prefix) => {
      expect(refused(prefix)).toEqual(['WAYMARK_STREAM_PREFIX']);
    },
  );

  test('requires EventStoreDB', () => {
    expect(faulty({ WAYMARK_STREAM_PREFIX: 'x' })).toEqual(['WAYMARK_STREAM_PREFIX']);
    expect(faulty({ WAYMARK_STREAM_PREFIX: 'x' }, 'command')).toEqual([]);
  });

  test('separates installations, because no category ends with another one', () => {
    const others = (name: string) => STREAM_CATEGORIES.filter((other) => other !== name);
    expect(STREAM_CATEGORIES.filter((name) => others(name).some((other) => name.endsWith(other)))).toEqual([]);
    expect(STREAM_CATEGORIES.filter((name) => !/^[a-z0-9]+$/.test(name))).toEqual([]);
  });
});

describe('roles', () => {
  test('are read from a list', () => {
    const { roles } = readConfig({ ...ENGINES, ...SHARED, ...SPLIT, WAYMARK_ROLES: 'deliverer, api' });
    expect([...roles]).toEqual(['api', 'deliverer']);
  });

  test.each(['cook', 'api,cook', ','])('are refused if one is unknown: %j', (text) => {
    expect(faulty({ ...ENGINES, ...SHARED, ...SPLIT, WAYMARK_ROLES: text })).toEqual(['WAYMARK_ROLES']);
  });

  test('are split only on shared engines', () => {
    expect(faulty({ ...SPLIT, WAYMARK_ROLES: 'api' })).toEqual(['WAYMARK_ROLES']);
  });

  test.each([
    ['api', ['PUBLIC_URL']],
    ['projector', []],
    ['deliverer', ['PUBLIC_URL', 'SMTP_URL']],
    ['api,projector,deliverer', []],
  ])('%s need what another node would not find otherwise', (text, needed) => {
    expect(faulty({ ...ENGINES, ...SHARED, WAYMARK_ROLES: text })).toEqual(needed);
  });
});

describe('flash deals', () => {
  test('follow the built-in policy, unless another file is set or they are off', () => {
    const read = (settings: Readonly<Record<string, string>>) => {
      const { flashDeals, flashDealsFile } = readConfig(settings);
      return [flashDeals, flashDealsFile];
    };
    expect(read({})).toEqual([true, null]);
    expect(read({ FLASH_DEALS: 'off' })).toEqual([false, null]);
    expect(read({ FLASH_DEALS_FILE: '/etc/waymark/deals.json' })).toEqual([true, '/etc/waymark/deals.json']);
    expect(faulty({ FLASH_DEALS: 'sometimes' })).toEqual(['FLASH_DEALS']);
  });
});
