import { describe, expect, test } from 'bun:test';
import { createTransport } from 'nodemailer';
import { composed } from '../../../src/adapters/smtp/compose.ts';
import { mailAddressOf } from '../../../src/ports/mail-address.ts';
import type { Mail } from '../../../src/ports/mailer.ts';

const SAME = [
  'ada@example.com',
  "o'hara+waymark@mail-1.example.co.th",
  'Ada.Lovelace@example.com',
  '#!$%&*+-/=?^_`{|}~@example.com',
  'ada@xn--bcher-kva.example',
  'jürgen@bücher.example',
  '用户@例え.テスト',
];
const OTHER_DOMAIN = [
  ['ada@EXAMPLE.com', 'ada@example.com'],
  ['Ada@Bücher.example', 'Ada@xn--bcher-kva.example'],
  ['ada@ｅｘａｍｐｌｅ.com', 'ada@example.com'],
  ['ada@example。com', 'ada@example.com'],
  ['ada@ex\u00adample.com', 'ada@example.com'],
  ['jürgen@xn--bcher-kva.example', 'jürgen@bücher.example'],
] as const;
const NONE = [
  '',
  '@',
  'ada',
  '@example.com',
  'ada@example',
  'ada@@example.com',
  'ada@evil.example@example.com',
  'ada,eve@example.com',
  'ada@example.com,eve@example.com',
  'ada@example.com;eve@example.com',
  'friends: ada@example.com;',
  'ada@example.com\r\nBcc: eve@example.com',
  'ada\u0000@example.com',
  '"ada eve"@example.com',
  '"@evil.example"@example.com',
  'ada(comment)@example.com',
  'ada@(comment)example.com',
  'Ada <ada@example.com>',
  '<ada@example.com>',
  ' ada@example.com',
  'ada@example.com ',
  'ada @example.com',
  'ada..lovelace@example.com',
  '.ada@example.com',
  'ada.@example.com',
  'ada\u200b@example.com',
  'ada😀@example.com',
  'ada@evil.example/example.com',
  'ada@evil.example?example.com',
  'ada@evil.example#example.com',
  'ada@evil.example:25',
  'ada@ex%61mple.com',
  'ada@192.0.2.1',
  'ada@0x7f.1',
  'ada@[192.0.2.1]',
  'ada@[x@evil.example]',
  'ada@example.com.',
  'ada@-a.example',
  'ada@a_b.example',
  'ada@xn--zz.example',
  `${'a'.repeat(65)}@example.com`,
  `ada@${'a'.repeat(64)}.example`,
  `ada@${'a.'.repeat(130)}example`,
];

/** The recipients and the raw mail that nodemailer makes of an address. */
async function mailedTo(
  address: string,
  name = 'Ada',
): Promise<{ readonly to: readonly string[]; readonly raw: string }> {
  const mail: Mail = {
    messageId: '<bk_1.1@waymark.example>',
    from: { name: 'Waymark', address: 'vouchers@waymark.example' },
    to: { name, address },
    subject: 'Your voucher',
    text: 'Hello',
    html: '<p>Hello</p>',
    language: 'en',
    images: [],
    dateMs: 0,
  };
  const transport = createTransport({ streamTransport: true, buffer: true, newline: 'windows' });
  const { envelope, message } = await transport.sendMail(composed(mail));
  return { to: envelope.to, raw: Buffer.isBuffer(message) ? message.toString() : '' };
}

describe('a mail address', () => {
  test.each(SAME)('%s is stored as it is', (address) => {
    expect(mailAddressOf(address)).toBe(address);
  });

  test.each(OTHER_DOMAIN)('%s is stored as %s', (address, stored) => {
    expect(mailAddressOf(address)).toBe(stored);
    expect(mailAddressOf(stored)).toBe(stored);
  });

  test.each(NONE)('%j is refused', (address) => {
    expect(mailAddressOf(address)).toBeNull();
  });

  test('is mailed as it is stored, to one recipient', async () => {
    for (const address of [...SAME, ...OTHER_DOMAIN.map(([, stored]) => stored)])
      expect((await mailedTo(address)).to).toEqual([address]);
  });

  test('with any name beside it makes no header and no recipient of the name', async () => {
    const names = [
      'Eve\r\nBcc: eve@evil.example',
      'Eve" <eve@evil.example>, "',
      'eve@evil.example,',
      '=?utf-8?q?Eve=0D=0ABcc:_eve@evil.example?=',
      'Eve\u2028Bcc: eve@evil.example',
      'Eve;',
      'friends: eve@evil.example;',
    ];
    for (const name of names) {
      const { to, raw } = await mailedTo('ada@example.com', name);
      expect(to).toEqual(['ada@example.com']);
      expect(raw).not.toMatch(/^Bcc:/im);
      expect(raw.match(/^To:/gim)).toHaveLength(1);
    }
  });
});
