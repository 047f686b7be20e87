import jsQR from 'jsqr';
import type { Page } from 'playwright-core';
import { PNG } from 'pngjs';
import type { Service } from '../../support/process.ts';

export const PHONE = { width: 390, height: 844 };

export type Booked = {
  readonly booking_id: string;
  readonly voucher: {
    readonly code: string;
    readonly url: string;
    readonly qr_url: string;
    readonly short_code: string;
  };
  readonly activity: { readonly venue_id: string };
};

/** Books for two adults today, at a venue of Bangkok that has a gate device. */
export async function bookVoucher(service: Service, language: string, userName = 'Ada Lovelace'): Promise<Booked> {
  const headers = { 'x-api-key': service.apiKey, 'content-type': 'application/json', 'accept-language': language };
  const today = await fetch(`${service.url}/api/b2a/inventory?city=Bangkok&limit=50`, { headers });
  const { data } = (await today.json()) as {
    data: { inventory: { activity_id: string; venue_id: string }[]; metadata: { query_date: string } };
  };
  const known = data.inventory.find(({ venue_id }) => service.deviceKeys[venue_id] !== undefined);
  const wish = {
    activity_id: known?.activity_id,
    booking_date: data.metadata.query_date,
    user_name: userName,
    user_email: 'ada@example.com',
    num_adults: 2,
  };
  const answer = await fetch(`${service.url}/api/b2a/execute_booking`, {
    method: 'POST',
    headers,
    body: JSON.stringify(wish),
  });
  return ((await answer.json()) as { data: Booked }).data;
}

/** What a gate's camera reads on the phone's screen. */
export async function scanned(page: Page): Promise<string | undefined> {
  const { data, width, height } = PNG.sync.read(await page.screenshot());
  return jsQR(new Uint8ClampedArray(data), width, height)?.data;
}

export function verify(service: Service, code: string | undefined, venue: string): Promise<Response> {
  const headers = { 'x-device-key': service.deviceKeys[venue] ?? '', 'content-type': 'application/json' };
  return fetch(`${service.url}/api/venue/verify`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ code, gate: 'north' }),
  });
}
