import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Language } from '../../src/domain/activity/vocabulary.ts';
import { changeCatalogue } from './modifications.ts';
import type { Booking } from './service-answers.ts';
import type { Service } from './service.ts';
import type { SmtpPeer } from './smtp-peer.ts';

export const CONTACT = 'bookings@pier.example';

/** From here on the venue `old-pier` confirms on request, and has this contact; null: none. */
export async function askTheVenue(service: Service, contact: { language?: Language } | null = {}): Promise<void> {
  changeCatalogue(service, 'bangkok', 'river-walk', { confirmation: 'on_request' });
  if (contact !== null) changeVenue(service, { contact: { email: CONTACT, ...contact } });
  await service.restart();
}

function changeVenue(service: Service, change: object): void {
  const file = join(service.catalogueDirectory, 'bangkok.json');
  const text = JSON.parse(readFileSync(file, 'utf8')) as { readonly venues: readonly { readonly id: string }[] };
  const venues = text.venues.map((venue) => (venue.id === 'old-pier' ? { ...venue, ...change } : venue));
  writeFileSync(file, JSON.stringify({ ...text, venues }));
}

/** The path in the last request mailed to the venue, once `count` mails arrived in all. */
export async function linkOf(peer: SmtpPeer, count: number): Promise<string> {
  const arrivals = await peer.arrivals(count);
  const [, path = ''] = /(\/api\/venue-requests\/\S+)/.exec(
    arrivals.filter(({ to }) => to === CONTACT).at(-1)?.mail.text ?? '',
  ) ?? [];
  return path;
}

/** The operator's answer to a pending booking. */
export async function operate(service: Service, { booking_id: id }: Pick<Booking, 'booking_id'>, act: string) {
  return service.admin(`/api/bookings/${id}/${act}`, { method: 'POST', body: '{}' });
}
