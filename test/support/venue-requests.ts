import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Credentials, type Opening, openService, type Service, TOMORROW } from './service.ts';
import { writeServiceCatalogue } from './service-catalogue.ts';
import type { SmtpPeer } from './smtp-peer.ts';

export const CONTACT = 'bookings@terrace.example';
/** Two guests of the kitchen in Bali, whose venue confirms on request. */
export const KITCHEN = { activity_id: 'village-kitchen', booking_date: TOMORROW };

/** A service that mails through `peer`, and whose venue in Bali has a contact in `language`; null: none. */
export function openAsking(peer: SmtpPeer, language: string | null = 'en', opening: Opening = {}): Promise<Service> {
  return openService({
    ...opening,
    mails: 'sent',
    settings: { SMTP_URL: peer.url, ...opening.settings },
    catalogue(directory) {
      writeServiceCatalogue(directory);
      if (language !== null) giveContact(directory, language);
    },
  });
}

/** Gives the venues in Bali of a catalogue a contact. */
export function giveContact(directory: string, language: string): void {
  const file = join(directory, 'bali.json');
  const text = JSON.parse(readFileSync(file, 'utf8')) as { readonly venues: readonly object[] };
  const venues = text.venues.map((venue) => ({ ...venue, contact: { email: CONTACT, language } }));
  writeFileSync(file, JSON.stringify({ ...text, venues }));
}

/** The paths in the requests mailed to the venue, once `count` mails arrived in all. */
export async function linksOf(peer: SmtpPeer, count: number): Promise<readonly string[]> {
  const arrivals = await peer.arrivals(count);
  const requests = arrivals.filter(({ to }) => to === CONTACT);
  return requests.map(({ mail }) => /\/venue-requests\/\S+/.exec(mail.text ?? '')?.[0] ?? '');
}

/** The page that a browser shows, after it opened a page or pressed its button. */
export async function open(service: Service, path: string, method = 'GET', headers: Credentials = {}) {
  const sent = await service.send(path, { method, headers });
  const location = sent.headers.get('location');
  const next = location === null ? null : new URL(location, `http://localhost${path}`).pathname;
  const response = next === null ? sent : await service.send(next, { headers });
  return { status: response.status, headers: response.headers, text: await response.text() };
}
