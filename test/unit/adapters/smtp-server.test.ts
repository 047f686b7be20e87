import { describe, expect, test } from 'bun:test';
import { readSmtpUrl, type SmtpServer } from '../../../src/adapters/smtp/server.ts';

const SERVER: SmtpServer = { host: 'mail.example.com', port: 587, tls: 'required', verified: true, auth: null };

describe('SMTP_URL', () => {
  const urls: readonly (readonly [string, Partial<SmtpServer>])[] = [
    ['smtp://mail.example.com', {}],
    ['smtp://mail.example.com/', {}],
    ['smtp://mail.example.com:2525', { port: 2525 }],
    ['smtp://mail.example.com?tls=required', {}],
    ['smtp://mail.example.com:25?tls=offered', { port: 25, tls: 'offered' }],
    ['smtps://mail.example.com', { port: 465, tls: 'from-the-start' }],
    ['smtp://a%40b:p%3A%2F%20%C3%BC@mail.example.com', { auth: { user: 'a@b', password: 'p:/ ü' } }],
    ['smtp://token@mail.example.com', { auth: { user: 'token', password: '' } }],
    ['smtp://localhost', { host: 'localhost', tls: 'offered', verified: false }],
    ['smtp://127.0.0.1:1025', { host: '127.0.0.1', port: 1025, tls: 'offered', verified: false }],
    ['smtp://[::1]:1025', { host: '::1', port: 1025, tls: 'offered', verified: false }],
    [
      'smtp://u:p@127.0.0.1',
      { host: '127.0.0.1', tls: 'offered', verified: false, auth: { user: 'u', password: 'p' } },
    ],
    ['smtp://localhost?tls=required', { host: 'localhost', verified: false }],
    ['smtps://localhost', { host: 'localhost', port: 465, tls: 'from-the-start', verified: false }],
    ['smtp://127.0.0.1.example.com', { host: '127.0.0.1.example.com' }],
    ['smtp://localhost.example.com', { host: 'localhost.example.com' }],
  ];
  test.each(urls)('%s names a server', (url, change) => {
    expect(readSmtpUrl(url)).toEqual({ kind: 'server', server: { ...SERVER, ...change } });
  });

  test.each([
    'mail.example.com',
    'http://mail.example.com',
    'smtp://',
    'smtp:mail.example.com',
    'smtp://mail.example.com/inbox',
    'smtp://mail.example.com#x',
    'smtp://mail.example.com?tls=none',
    'smtp://mail.example.com?tls=offered&x=1',
    'smtps://mail.example.com?tls=offered',
    'smtp://user:secret@mail.example.com?tls=offered',
    'smtp://user:secret%zz@mail.example.com',
  ])('%s is a fault that repeats no secret', (url) => {
    const read = readSmtpUrl(url);
    expect(read).toEqual({ kind: 'fault', rule: expect.stringMatching(/^\S.{10,}$/) });
    expect(JSON.stringify(read)).not.toContain('secret');
  });
});
