import { describe, expect, test } from 'bun:test';
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import PostalMime from 'postal-mime';
import { fileNameOf, outboxMailer } from '../../src/adapters/smtp/outbox-mailer.ts';
import { mailsIn } from '../support/mails.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { aMail } from './mailer/scene.ts';
import { mailerContract } from './mailer.suite.ts';

mailerContract('outbox', async () => {
  const directory = temporaryDirectory();
  const outbox = directory.file('outbox');
  return {
    mailer: outboxMailer(outbox),
    arrived: () =>
      Promise.all(
        mailsIn(outbox).map(async (name) => {
          const bytes = readFileSync(join(outbox, name));
          return { mail: await PostalMime.parse(bytes), raw: bytes.toString('latin1') };
        }),
      ),
    async [Symbol.asyncDispose]() {
      directory.remove();
    },
  };
});

describe('the outbox', () => {
  test('has one file per Message-ID, readable by its owner only', async () => {
    using directory = temporaryDirectory();
    const outbox = directory.file('outbox');
    const mailer = outboxMailer(outbox);
    const name = 'bk_1.1@waymark.localhost.eml';
    for (const text of ['first', 'second']) {
      expect(await mailer.send(aMail({ text }))).toEqual({ kind: 'accepted', providerId: name });
    }
    expect(mailsIn(outbox)).toEqual([name]);
    expect(readdirSync(join(outbox, '.unfinished'))).toEqual([]);
    expect(readFileSync(join(outbox, name), 'utf8')).toContain('second');
    expect([statSync(outbox).mode & 0o777, statSync(join(outbox, name)).mode & 0o777]).toEqual([0o700, 0o600]);
  });

  test('removes unfinished files of a killed process, and no others', () => {
    using directory = temporaryDirectory();
    outboxMailer(directory.path);
    for (const name of ['.unfinished/a', 'b.eml']) writeFileSync(directory.file(name), '');
    outboxMailer(directory.path);
    expect(readdirSync(directory.file('.unfinished'))).toEqual([]);
    expect(mailsIn(directory.path)).toEqual(['b.eml']);
  });

  test('removes unfinished files of an earlier release once', () => {
    using directory = temporaryDirectory();
    for (const name of ['a.unfinished', 'b.eml']) writeFileSync(directory.file(name), '');
    outboxMailer(directory.path);
    expect(readdirSync(directory.path).toSorted()).toEqual(['.unfinished', 'b.eml']);
  });

  test('does not list the mails at a later start', () => {
    using directory = temporaryDirectory();
    outboxMailer(directory.path);
    // The first start would have removed it.
    writeFileSync(directory.file('a.unfinished'), '');
    outboxMailer(directory.path);
    expect(readdirSync(directory.path).toSorted()).toEqual(['.unfinished', 'a.unfinished']);
  });

  test('fails the attempt if it is not writable, and leaves no partial file', async () => {
    using directory = temporaryDirectory();
    const outbox = directory.file('outbox');
    const mailer = outboxMailer(outbox);
    rmSync(outbox, { recursive: true });
    expect(await mailer.send(aMail())).toEqual({ kind: 'failed', reason: 'outbox: ENOENT', permanent: false });
    mkdirSync(join(outbox, '.unfinished'), { recursive: true });
    mkdirSync(join(outbox, 'bk_1.1@waymark.localhost.eml', 'a folder'), { recursive: true });
    chmodSync(outbox, 0o700);
    expect(await mailer.send(aMail())).toEqual({ kind: 'failed', reason: 'outbox: EISDIR', permanent: false });
    expect(mailsIn(outbox)).toEqual(['bk_1.1@waymark.localhost.eml']);
    expect(readdirSync(join(outbox, '.unfinished'))).toEqual([]);
  });

  test.each([
    ['<bk_1.1@waymark.localhost>', 'bk_1.1@waymark.localhost.eml'],
    ['<../../etc/passwd@x>', '..%2F..%2Fetc%2Fpasswd@x.eml'],
    ['<a b\0@x>', 'a%20b%00@x.eml'],
  ])('keeps %p as %p', (messageId, name) => {
    expect(fileNameOf(messageId)).toBe(name);
  });
});
