import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { openEventStore } from '../../../src/adapters/sqlite/event-store.ts';
import { HOUR_MS } from '../../../src/eventsourcing/durations.ts';
import { VENUE_TEXTS } from '../../../src/vouchers/venue-texts.ts';
import type { Service } from '../../support/service.ts';
import { SmtpPeer } from '../../support/smtp-peer.ts';
import { giveContact, KITCHEN, linksOf, open, openAsking } from '../../support/venue-requests.ts';

const HEADINGS = VENUE_TEXTS.en.heading;

let peer: SmtpPeer;
let service: Service;
beforeEach(async () => {
  peer = await SmtpPeer.listen();
});
afterEach(async () => {
  peer.speak();
  await service?.stop();
  await peer.close();
});

describe('a request that waited before an upgrade', () => {
  /** As the release before left it: it mailed no requests, and its checkpoint says that nothing is open. */
  async function asBefore(): Promise<void> {
    giveContact(service.catalogueDirectory, 'en');
    const store = openEventStore(join(service.directory, 'events.db'));
    const stream = 'checkpoint-voucher-mailer';
    const last = await store.last(stream);
    if (last === null) throw new Error('the mailer has stored no checkpoint');
    const position = store.positions.format(await store.head());
    const event = { id: randomUUID(), type: last.type, data: { position }, cause: last.cause };
    await store.append(stream, last.revision, [event]);
    await store.close();
    service.clock.advance(25 * HOUR_MS);
  }

  test('is mailed to the venue once, however old it is, until its deadline', async () => {
    service = await openAsking(peer, null, { settings: { ON_REQUEST_HOURS: '48' } });
    const { data: booking } = await service.book({ ...KITCHEN, booking_date: '2026-11-25' });
    await peer.arrivals(1);
    await service.restart(asBefore);
    const [path = ''] = await linksOf(peer, 2);
    expect((await open(service, path)).text).toContain(HEADINGS.waiting);
    await service.restart();
    await service.book({ ...KITCHEN, booking_date: '2026-11-25' });
    expect(await linksOf(peer, 4)).toHaveLength(2);
    expect((await open(service, `${path}/confirm`, 'POST')).text).toContain(HEADINGS.confirmed);
    expect((await service.booking(booking.booking_id)).data.status).toBe('confirmed');
  });

  test('whose venue got a contact later is not said to be on its way', async () => {
    service = await openAsking(peer, null);
    const { data } = await service.book(KITCHEN);
    await peer.arrivals(1);
    await service.restart(() => giveContact(service.catalogueDirectory, 'en'));
    service.clock.advance(HOUR_MS + 1);
    const { data: shown } = await service.get<{ venue_request?: string }>(
      `/api/bookings/${data.booking_id}`,
      service.admin,
    );
    expect(shown.venue_request).toBe('not_mailed');
  });
});
