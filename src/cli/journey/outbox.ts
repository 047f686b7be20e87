import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The mails that a service on this machine wrote to files. */
export type Outbox = {
  /** The source of a mail, by the `email_provider_id` of voucher_delivered; null if there is none. */
  mail(name: string): string | null;
};

/** @param directory `outbox` in the service's data directory */
export function openOutbox(directory: string): Outbox {
  return {
    mail(name) {
      const path = join(directory, name);
      return existsSync(path) ? readFileSync(path, 'latin1') : null;
    },
  };
}

/** Whether a provider id names a file of an outbox; mail servers return other ids. */
export function isInOutbox(providerId: string): boolean {
  return /^[\w.@%+-]+\.eml$/.test(providerId);
}

/** The unfolded value of a header; null if the mail has none. */
export function headerOf(mail: string, name: string): string | null {
  const [head = ''] = mail.split(/\r?\n\r?\n/, 1);
  const unfolded = head.replaceAll(/\r?\n[ \t]+/g, ' ');
  return new RegExp(`^${name}: *(.*)$`, 'im').exec(unfolded)?.[1]?.trim() ?? null;
}

/** The bytes of the first image/png part, which mailers encode as base64; null if there is none. */
export function imageOf(mail: string): Uint8Array | null {
  const part = /^content-type: *image\/png[^]*?\r?\n\r?\n([A-Za-z0-9+/=\r\n]+)/im.exec(mail);
  return part?.[1] === undefined ? null : Buffer.from(part[1], 'base64');
}
