import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The mails that a service on this machine wrote instead of sending them. */
export type Outbox = {
  /** Those that hold a text, as they would go over the wire; null where nothing is written, since mails are sent. */
  mailsWith(text: string): readonly string[] | null;
};

/** @param directory `outbox` of the service's data directory */
export function openOutbox(directory: string): Outbox {
  return {
    mailsWith(text) {
      if (!existsSync(directory)) return null;
      const names = readdirSync(directory).filter((name) => name.endsWith('.eml'));
      return names.map((name) => readFileSync(join(directory, name), 'latin1')).filter((mail) => mail.includes(text));
    },
  };
}

/** The value of a header, unfolded; null where the mail has none. */
export function headerOf(mail: string, name: string): string | null {
  const [head = ''] = mail.split(/\r?\n\r?\n/, 1);
  const unfolded = head.replaceAll(/\r?\n[ \t]+/g, ' ');
  return new RegExp(`^${name}: *(.*)$`, 'im').exec(unfolded)?.[1]?.trim() ?? null;
}

/** The bytes of the first part of type image/png, which every mailer writes as base64; null where there is none. */
export function imageOf(mail: string): Uint8Array | null {
  const part = /^content-type: *image\/png[^]*?\r?\n\r?\n([A-Za-z0-9+/=\r\n]+)/im.exec(mail);
  return part?.[1] === undefined ? null : Buffer.from(part[1], 'base64');
}
