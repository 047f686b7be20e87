import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The mails that a service on this machine wrote instead of sending them. */
export type Outbox = {
  /** A mail as it would go over the wire, by the name that its booking's voucher_delivered gave it; null without it. */
  mail(name: string): string | null;
};

/** @param directory `outbox` of the service's data directory */
export function openOutbox(directory: string): Outbox {
  return {
    mail(name) {
      const path = join(directory, name);
      return existsSync(path) ? readFileSync(path, 'latin1') : null;
    },
  };
}

/** Whether a voucher_delivered names a mail of an outbox; a mail server gives other names. */
export function isInOutbox(providerId: string): boolean {
  return /^[\w.@%+-]+\.eml$/.test(providerId);
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
