import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { aMail, type OpenedMailer, readBack } from './mailer/scene.ts';

const SEED = 20_261_121;

/**
 * What every adapter of the port Mailer owes: a mail arrives as it was handed over, whatever stands in it.
 *
 * @param open a mailer for one test, with nothing arrived yet
 */
export function mailerContract(name: string, open: () => Promise<OpenedMailer>): void {
  describe(`the mailer contract: ${name}`, () => {
    test('a mail that was accepted has arrived, whole', async () => {
      await using opened = await open();
      expect(await opened.mailer.send(aMail())).toMatchObject({ kind: 'accepted' });
      const [arrived, ...more] = await opened.arrived();
      expect(more).toEqual([]);
      expect(arrived && readBack(arrived)).toEqual(aMail());
      expect(arrived?.mail.attachments).toMatchObject([
        { mimeType: 'image/png', disposition: 'inline', related: true },
      ]);
    });

    test('names the mail where the other side does, with a text of its own', async () => {
      await using opened = await open();
      expect(await opened.mailer.send(aMail())).toEqual({
        kind: 'accepted',
        providerId: expect.stringMatching(/^\S+$/),
      });
    });

    test('a mail that was accepted before is accepted again, under the same Message-ID', async () => {
      await using opened = await open();
      for (let attempt = 0; attempt < 2; attempt++) {
        expect(await opened.mailer.send(aMail())).toMatchObject({ kind: 'accepted' });
      }
      const ids = (await opened.arrived()).map(({ mail }) => mail.messageId);
      expect([...new Set(ids)]).toEqual([aMail().messageId]);
    });

    test('many mails at once all arrive', async () => {
      await using opened = await open();
      const ids = Array.from({ length: 30 }, (_, n) => `<bk_${n}.1@waymark.localhost>`);
      const outcomes = await Promise.all(ids.map((messageId) => opened.mailer.send(aMail({ messageId }))));
      expect(outcomes.map(({ kind }) => kind)).toEqual(ids.map(() => 'accepted'));
      expect((await opened.arrived()).map(({ mail }) => mail.messageId ?? '').toSorted()).toEqual(ids.toSorted());
    });

    test('every language arrives as it was written', async () => {
      await using opened = await open();
      const words = 'วอเชอร์ ดู · Bản đồ · 預訂憑證 · バウチャー · 바우처 · שלום · 🎟';
      const mail = aMail({ subject: words, text: words, html: `<p>${words}</p>`, to: { ...aMail().to, name: words } });
      await opened.mailer.send(mail);
      expect((await opened.arrived()).map(readBack)).toEqual([mail]);
    });

    test('no text makes a header, another recipient, or a part of its own', async () => {
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

    test('an address that cannot be written in a mail is refused for good, and nothing is sent', async () => {
      await using opened = await open();
      const outcome = await opened.mailer.send(
        aMail({ to: { name: '', address: 'ada@example.com\r\nRCPT TO:<eve>' } }),
      );
      const [arrived] = await opened.arrived();
      // An adapter without an envelope has nothing to refuse; then the address is at least one line.
      if (outcome.kind === 'accepted') expect(arrived && headerNames(arrived.raw)).toEqual(HEADERS);
      else expect({ ...outcome, reason: '' }).toEqual({ kind: 'failed', reason: '', permanent: true });
    });

    test('takes nothing once it is closed', async () => {
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
