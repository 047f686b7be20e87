import { describe, expect, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { BadConfiguration, type MailConfig, readConfig } from '../../../src/config.ts';
import { LOCALHOST } from '../../support/localhost-certificate.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

const mailOf = (settings: Readonly<Record<string, string>>): MailConfig => readConfig(settings).mail;

function faultsOf(settings: Readonly<Record<string, string>>): string {
  try {
    readConfig(settings);
    return '';
  } catch (fault) {
    if (fault instanceof BadConfiguration) return fault.message;
    throw fault;
  }
}

describe('the settings of mail', () => {
  test('default to an outbox, and answers wait five seconds for their mail', () => {
    expect(mailOf({})).toEqual({
      server: null,
      ca: null,
      from: { name: 'Waymark', address: 'vouchers@waymark.localhost' },
      waitMs: 5_000,
      connections: 8,
      thread: true,
    });
  });

  test('are read', () => {
    using directory = temporaryDirectory();
    writeFileSync(directory.file('ca.pem'), LOCALHOST.cert);
    expect(
      mailOf({
        SMTP_URL: 'smtps://u:p@mail.example.com',
        SMTP_CA: directory.file('ca.pem'),
        MAIL_FROM: 'Tours <tours@example.com>',
        MAIL_WAIT_MS: '0',
        MAIL_CONNECTIONS: '64',
        MAIL_THREAD: 'off',
      }),
    ).toEqual({
      server: {
        host: 'mail.example.com',
        port: 465,
        tls: 'from-the-start',
        verified: true,
        auth: { user: 'u', password: 'p' },
      },
      ca: LOCALHOST.cert,
      from: { name: 'Tours', address: 'tours@example.com' },
      waitMs: 0,
      connections: 64,
      thread: false,
    });
  });

  test.each([
    ['tours@example.com', { name: '', address: 'tours@example.com' }],
    ['<tours@example.com>', { name: '', address: 'tours@example.com' }],
    ['"Tours, and more" <tours@example.com>', { name: 'Tours, and more', address: 'tours@example.com' }],
    ['ทัวร์ <tours@example.com>', { name: 'ทัวร์', address: 'tours@example.com' }],
  ])('MAIL_FROM %p is a mailbox', (text, from) => {
    expect(mailOf({ MAIL_FROM: text }).from).toEqual(from);
  });

  test.each([
    'tours',
    'tours@',
    '@example.com',
    'a@example.com, b@example.com',
    'A <a@example.com> B <b@example.com>',
    'A <a@example.com',
    'A\r\nBcc: x <a@example.com>',
    'a b@example.com',
  ])('MAIL_FROM %p is none', (text) => {
    expect(faultsOf({ MAIL_FROM: text })).toContain('MAIL_FROM must be one mailbox');
  });

  test('that cannot be used are all named, without secret values', () => {
    const faults = faultsOf({
      SMTP_URL: 'smtp://user:secret@mail.example.com/x',
      SMTP_CA: '/nowhere.pem',
      MAIL_FROM: 'nobody',
      MAIL_WAIT_MS: '30001',
      MAIL_CONNECTIONS: '0',
      MAIL_THREAD: 'yes',
    });
    const names = [...faults.matchAll(/^ {2}(\w+) /gm)].map(([, name = '']) => name);
    expect(names.toSorted()).toEqual([
      'MAIL_CONNECTIONS',
      'MAIL_FROM',
      'MAIL_THREAD',
      'MAIL_WAIT_MS',
      'SMTP_CA',
      'SMTP_URL',
    ]);
    expect(faults).not.toContain('secret');
  });

  test('require a sender that other mail servers accept if the mail server is on another machine', () => {
    expect(faultsOf({ SMTP_URL: 'smtp://mail.example.com' })).toContain('MAIL_FROM must say who the mails come from');
    expect(faultsOf({ SMTP_URL: 'smtp://127.0.0.1:1025' })).toBe('');
  });
});
