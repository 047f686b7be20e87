import { basename } from 'node:path';
import type { Config } from '../config.ts';
import type { Demo } from './demo.ts';
import type { Secrets } from './secrets.ts';

/**
 * The text printed at the start: the address of the service, new secrets, and a first request to try. In production the
 * output is collected, so it names the files of secrets only.
 */
export function startupBanner(url: string, config: Config, secrets: Secrets, demo: Demo | null): string {
  const isShown = (name: string): boolean => !config.production && secrets.made.some((path) => basename(path) === name);
  const stored = config.adminToken === null ? `(kept in ${config.dataDirectory}/admin-token)` : '(WAYMARK_ADMIN_TOKEN)';
  const token = isShown('admin-token') ? secrets.adminToken : stored;
  const analyst = isShown('analyst-token') ? [`  analyst token ${secrets.analystToken}`] : [];
  const lines = ['', `Waymark is running at ${url}`, '', `  admin token   ${token}`, ...analyst];
  if (demo === null) return `${lines.join('\n')}\n\n`;
  const { activity, date } = demo;
  const recommended = `'${config.dataDirectory}/demo-recommendation.json'`;
  const booked = `'${config.dataDirectory}/demo-booking.json'`;
  const key = `-H 'x-api-key: ${demo.apiKey}' -H 'content-type: application/json'`;
  const wish = { user_profile: { travel_type: 'couple' }, location: { city: activity.city }, limit: 20 };
  const guest = { user_name: 'Ada Lovelace', user_email: 'ada@example.com', booking_date: date, num_adults: 2 };
  const logId = `'$(grep -o 'rec_[0-9a-z]*' ${recommended} | head -1)'`;
  const booking = JSON.stringify({ activity_id: activity.id, ...guest, context_log_id: 'LOG' }).replace('LOG', logId);
  return [
    ...lines,
    `  demo API key  ${demo.apiKey}`,
    '',
    `1. Recommend activities in ${activity.city} to a couple:`,
    '',
    `curl -s ${url}/api/b2a/recommend ${key} -d '${JSON.stringify(wish)}' | tee ${recommended}`,
    '',
    `2. Book one of them for two: ${activity.texts.en.title}. Open the qr_url of the answer in a browser.`,
    '',
    `curl -s ${url}/api/b2a/execute_booking ${key} -d '${booking}' | tee ${booked}`,
    '',
    `3. Scan the voucher at the gate of ${activity.venue.name}, with a camera at ${url}/gate#${demo.deviceKey}`,
    '   or with this command. Then repeat 1: the activity ranks higher.',
    '',
    `curl -s ${url}/api/venue/verify -H 'x-device-key: ${demo.deviceKey}' -H 'content-type: application/json' -d '{"code":"'$(grep -o 'WM-[0-9A-Z]*-[0-9A-Z]*' ${booked} | head -1)'","gate":"main"}'`,
    '',
    `Smoke test: npm run waymark -- journey     API reference: ${url}/docs`,
    '',
    '',
  ].join('\n');
}
