import { join } from 'node:path';
import { createKey } from '../application/key/manage-keys.ts';
import { registerDevice } from '../application/venue/manage-devices.ts';
import type { Activity, LocalDate } from '../domain/activity/activity.ts';
import { addDays, dayOf, localDate } from '../domain/activity/schedule.ts';
import { PERMISSIONS } from '../domain/apikey/apikey.ts';
import type { HttpContext } from '../http/context.ts';
import { readPrivately, writePrivately } from './private-files.ts';

/** A key and a gate device for trying the service. Never created in production. */
export type Demo = {
  readonly apiKey: string;
  readonly deviceKey: string;
  readonly activity: Activity;
  readonly date: LocalDate;
};

const DEMO_CITY = 'Bangkok';

type Kept = { readonly api_key: string; readonly devices: Readonly<Record<string, string>> };

/** The demo key (plan basic) and a gate device at a venue that is open now. Stored in the data directory. */
export async function openDemo(dataDirectory: string, context: HttpContext): Promise<Demo | null> {
  const pick = openNow(context);
  if (pick === null) return null;
  const path = join(dataDirectory, 'demo.json');
  // The parser of this boundary: the file is written below and nowhere else.
  const widened = (mode: string): void => context.log.warn('secret file was open to others', { file: path, mode });
  const text = readPrivately(path, widened);
  const kept: Kept = text === null ? { api_key: '', devices: {} } : (JSON.parse(text) as Kept);
  const at = new Date(context.clock.nowMs()).toISOString();
  const cause = { correlationId: context.ids.uuid(), causationId: null, by: 'demo', at };
  const apiKey = kept.api_key || (await demoKey(cause, context));
  const { venue } = pick.activity;
  const deviceKey = kept.devices[venue.id] ?? (await demoDevice(venue.id, cause, context));
  writePrivately(
    path,
    `${JSON.stringify({ api_key: apiKey, devices: { ...kept.devices, [venue.id]: deviceKey } }, null, 2)}\n`,
  );
  return { apiKey, deviceKey, ...pick };
}

type Cause = Parameters<typeof createKey>[2];

async function demoKey(cause: Cause, context: HttpContext): Promise<string> {
  const settings = {
    name: 'Demo',
    plan: 'basic',
    permissions: PERMISSIONS,
    webhookUrl: null,
    webhookEvents: null,
    ipAllowlist: null,
    contactEmail: null,
    expiresAt: null,
    // The same request shows the same order, whatever the log id.
    exploration: false,
  } as const;
  const created = await createKey('live', settings, cause, context);
  if (created.kind === 'refused') throw new Error(`the demo key could not be made: ${created.refusal.error}`);
  if (created.position !== null) await context.passed('keys', created.position);
  return created.value;
}

async function demoDevice(venueId: Activity['venue']['id'], cause: Cause, context: HttpContext): Promise<string> {
  const device = await registerDevice({ venueId, name: 'Demo gate', mode: 'live' }, cause, context);
  if (device.kind === 'refused') throw new Error(`the demo device could not be made: ${device.refusal.error}`);
  await context.passed('devices', device.position);
  return device.deviceKey;
}

/** The activity that admits guests for longest today, preferably in Bangkok; else tomorrow's first activity. */
function openNow({ catalogue, clock }: HttpContext): { readonly activity: Activity; readonly date: LocalDate } | null {
  const nowMs = clock.nowMs();
  const days = [...catalogue.values()]
    .filter(({ listed, activity }) => listed && activity.confirmation === 'instant' && activity.exclusiveTo === null)
    .flatMap(({ activity }) =>
      [0, 1].map((ahead) => ({ activity, date: addDays(localDate(activity.city, nowMs), ahead), ahead })),
    )
    .flatMap((candidate) => {
      const day = dayOf(candidate.activity, candidate.date);
      return day !== null && nowMs < day.lastEntryMs ? [{ ...candidate, lastEntryMs: day.lastEntryMs }] : [];
    })
    .sort(
      (left, right) =>
        left.ahead - right.ahead ||
        Number(right.activity.city === DEMO_CITY) - Number(left.activity.city === DEMO_CITY) ||
        right.lastEntryMs - left.lastEntryMs,
    );
  return days[0] ?? null;
}
