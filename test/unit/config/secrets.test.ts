import { describe, expect, test } from 'bun:test';
import { ALL_SETTINGS, readConfig } from '../../../src/config.ts';

describe('the table of settings', () => {
  test('names each setting once', () => {
    const names = ALL_SETTINGS.map(({ name }) => name);
    expect(names.length).toBeGreaterThan(30);
    expect([...new Set(names)]).toEqual(names);
  });

  test('marks settings that contain a secret or a password', () => {
    expect(ALL_SETTINGS.filter(({ secret }) => secret).map(({ name }) => name)).toEqual([
      'EVENTSTORE_URL',
      'MONGODB_URL',
      'WAYMARK_ADMIN_TOKEN',
      'WAYMARK_ANALYST_TOKEN',
      'WAYMARK_SECRET_KEY',
      'WAYMARK_SECRET_KEY_PREVIOUS',
      'SMTP_URL',
      'WAYMARK_API_KEY',
    ]);
  });
});

/** Each is refused by some settings. */
const BAD_VALUES = [
  'geheim',
  'ge heim geheim geheim',
  'https://user:geheim@host/?key=geheim',
  'esdb://user:geheim@host:port',
  'esdb://user:geheim@host:2113?tls=false',
  'mongodb://user:geheim@host/a.b',
  'mongodb://user:geheim@host/?w=1',
  'smtp://user:geheim@host/x',
  'smtp://user:geheim@mail.example.com?tls=offered',
];

const secretOrUrl = ALL_SETTINGS.filter(({ name, secret }) => secret || name.endsWith('_URL')).map(({ name }) => name);

test.each(secretOrUrl)('the error text of %s does not show its value', (name) => {
  const refused = BAD_VALUES.map((value) => messageOf({ [name]: value })).filter((message) => message.includes(name));
  expect(refused.length).toBeGreaterThan(0);
  expect(refused.filter((message) => message.includes('geheim'))).toEqual([]);
});

function messageOf(environment: Readonly<Record<string, string>>): string {
  try {
    readConfig(environment, 'command');
    return '';
  } catch (fault) {
    return fault instanceof Error ? fault.message : '';
  }
}
