import type { Config } from '../config.ts';
import type { Demo } from './demo.ts';
import type { Secrets } from './secrets.ts';

/** What a person sees at the start: where the service is, what was made, and what to try first. */
export function welcome(url: string, config: Config, secrets: Secrets, demo: Demo | null): string {
  const token = secrets.made.includes('admin-token')
    ? secrets.adminToken
    : `(kept in ${config.dataDirectory}/admin-token)`;
  const analyst = secrets.made.includes('analyst-token') ? [`  analyst token ${secrets.analystToken}`] : [];
  const lines = ['', `Waymark is running at ${url}`, '', `  admin token   ${token}`, ...analyst];
  if (demo === null) return `${lines.join('\n')}\n\n`;
  const { activity, date } = demo;
  const kept = `'${config.dataDirectory}/demo-booking.json'`;
  const booking = JSON.stringify({
    activity_id: activity.id,
    user_name: 'Ada Lovelace',
    user_email: 'ada@example.com',
    booking_date: date,
    num_adults: 2,
  });
  return [
    ...lines,
    `  demo API key  ${demo.apiKey}`,
    '',
    '1. See what Bangkok offers:',
    '',
    `curl -s '${url}/api/b2a/inventory?city=Bangkok&limit=3' -H 'x-api-key: ${demo.apiKey}'`,
    '',
    `2. Book ${activity.texts.en.title} for two, and keep the voucher's code (its qr_url opens in a browser):`,
    '',
    `curl -s ${url}/api/b2a/execute_booking -H 'x-api-key: ${demo.apiKey}' -H 'content-type: application/json' -d '${booking}' | tee ${kept}`,
    '',
    `3. Scan it at the gate of ${activity.venue.name}:`,
    '',
    `curl -s ${url}/api/venue/verify -H 'x-device-key: ${demo.deviceKey}' -H 'content-type: application/json' -d '{"code":"'$(grep -o 'WM-[0-9A-Z]*-[0-9A-Z]*' ${kept} | head -1)'","gate":"main"}'`,
    '',
    '',
  ].join('\n');
}
