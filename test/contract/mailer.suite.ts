import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { aMail, type OpenedMailer, readBack } from './mailer/scene.ts';

const SEED = 20_261_121;

/**
 * The contract of the port Mailer: a mail arrives unchanged, whatever its content.
 *
 * @param open opens a mailer for one test, without any mails
 */
export function mailerContract(name: string, open: () => Promise<OpenedMailer>): void {
  describe(`the mailer contract: ${name}`, () => {
    test('an accepted mail has arrived completely', async () => {
      await using opened = await open();
      expect(await opened.mailer.send(aMail())).toMatchObject({ kind: 'accepted' });
      const [arrived, ...more] = await opened.arrived();
      expect(more).toEqual([]);
      expect(arrived && readBack(arrived)).toEqual(aMail());
      expect(arrived?.mail.attachments).toMatchObject([
        { mimeType: 'image/png', disposition: 'inline', related: true },
      ]);
    });

    test('returns the id of the mail that the server assigned, if any', async () => {
      await using opened = await open();
      expect(await opened.mailer.send(aMail())).toEqual({
        kind: 'accepted',
        providerId: expect.stringMatching(/^\S+$/),
      });
    });

    test('a repeated mail is accepted again under the same Message-ID', async () => {
      await using opened = await open();
      for (let attempt = 0; attempt < 2; attempt++) {
        expect(await opened.mailer.send(aMail())).toMatchObject({ kind: 'accepted' });
      }
      const ids = (await opened.arrived()).map(({ mail }) => mail.messageId);
      expect([...new Set(ids)]).toEqual([aMail().messageId]);
    });

    test('many concurrent mails all arrive', async () => {
      await using opened = await open();
      const ids = Array.from({ length: 30 }, (_, n) => `<bk_${n}.1@waymark.localhost>`);
      const outcomes = await Promise.all(ids.map((messageId) => opened.mailer.send(aMail({ messageId }))));
      expect(outcomes.map(({ kind }) => kind)).toEqual(ids.map(() => 'accepted'));
      expect((await opened.arrived()).map(({ mail }) => mail.messageId ?? '').toSorted()).toEqual(ids.toSorted());
    });

    test('texts in every language arrive unchanged', async () => {
      await using opened = await open();
      const words = 'วอเชอร์ ดู · Bản đồ · 預訂憑證 · バウチャー · 바우처 · שלום · 🎟';
      const mail = aMail({ subject: words, text: words, html: `<p>${words}</p>`, to: { ...aMail().to, name: words } });
      await opened.mailer.send(mail);
      expect((await opened.arrived()).map(readBack)).toEqual([mail]);
    });

    test('no text can inject a header, a recipient or a part', async () => {
      await using opened = await open();
      const hostile = fc.array(
        fc.oneof(
          fc.constantFrom('\r\n', '\n', '\r', '\0', '\u2028', '"', "'", '<', '>', ',', ';', ':', '@', '\\', '(', ')'),
          fc.constantFrom('Bcc: eve@example.com', 'eve@example.com', '--', '=?UTF-8?Q?=0D=0A?=', '\u202e', 'שלום', ' '),
          fc.string({ unit: 'grapheme', maxLength: 4 }),
        ),
        { maxLength: 12 },
      );
      const texts = fc.sample(hostile, { seed: SEED, numRuns: 25 }).map((parts) => parts.join(''));
      for (const [n, text] of texts.entries()) {
        const messageId = `<bk_${n}.1@waymark.localhost>`;
        const mail = aMail({ messageId, subject: `S${text}`, text, to: { ...aMail().to, name: text } });
        expect(await opened.mailer.send(mail), text).toMatchObject({ kind: 'accepted' });
      }
      for (const { mail, raw } of await opened.arrived()) {
        expect(mail.to?.map(({ address }) => address)).toEqual(['ada@example.com']);
        expect([mail.cc, mail.bcc]).toEqual([undefined, undefined]);
        expect(mail.attachments).toHaveLength(1);
        expect(headerNames(raw)).toEqual(HEADERS);
      }
      expect(await opened.arrived()).toHaveLength(texts.length);
    });

    test('an invalid address is refused permanently, and nothing is sent', async () => {
      await using opened = await open();
      const outcome = await opened.mailer.send(
        aMail({ to: { name: '', address: 'ada@example.com\r\nRCPT TO:<eve>' } }),
      );
      const [arrived] = await opened.arrived();
      // An adapter without an envelope refuses nothing; then the address stays on one line.
      if (outcome.kind === 'accepted') expect(arrived && headerNames(arrived.raw)).toEqual(HEADERS);
      else expect({ ...outcome, reason: '' }).toEqual({ kind: 'failed', reason: '', permanent: true });
    });

    test('refuses mails after it was closed', async () => {
      await using opened = await open();
      await opened.mailer.close();
      expect(await opened.mailer.send(aMail())).toMatchObject({ kind: 'failed', permanent: false });
      expect(await opened.arrived()).toEqual([]);
    });
  });
}

const HEADERS = [
  'Auto-Submitted',
  'Content-Language',
  'Content-Type',
  'Date',
  'From',
  'MIME-Version',
  'Message-ID',
  'Subject',
  'To',
];

function headerNames(raw: string): string[] {
  const head = raw.slice(0, raw.search(/\r?\n\r?\n/));
  return head
    .split(/\r?\n(?![ \t])/)
    .map((line) => line.slice(0, line.indexOf(':')))
    .toSorted();
}
