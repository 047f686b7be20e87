import * as client from './client.ts';
import type { Arrival, ArrivalsPage } from './contract.ts';
import type { Day } from './offline-check.ts';
import { readRevocations } from './revocations.ts';
import { hexOfBase32, type Keys } from './signature.ts';
import {
  type Device,
  device,
  forgetDevice,
  keepDevice,
  keepKnown,
  known,
  online,
  paused,
  serviceNowMs,
} from './state.ts';
import { addDays, localDate } from './venue-time.ts';

/** Bounds the pages of a list: 10,000 bookings. */
const MOST_PAGES = 100;

export type SignIn = 'signed-in' | 'refused' | 'paused' | 'unanswered';

/** Asks the service for the device of this key, and keeps it on the phone. */
export async function signIn(key: string): Promise<SignIn> {
  const first = await client.arrivals({ date: null, cursor: null }, { key });
  if (first.kind === 'unanswered') return 'unanswered';
  if (first.kind === 'refused') return first.code === 'KEY_INACTIVE' ? 'paused' : 'refused';
  await keepDevice(deviceOf(key, first.data, Date.now()));
  await refresh();
  // Asks the browser not to delete the queue when space is short. It may refuse.
  await navigator.storage?.persist?.();
  return 'signed-in';
}

let running: { readonly key: string; readonly work: Promise<boolean> } | null = null;

/** Fetches the lists and keys of the device. @returns whether the service answered */
export function refresh(): Promise<boolean> {
  const key = device.value?.key ?? '';
  if (running?.key === key) return running.work;
  const work = fetchAll().finally(() => {
    if (running?.work === work) running = null;
  });
  running = { key, work };
  return work;
}

/** The visits that were recorded since the lists that are being fetched were asked for: those lists may not have them. */
let recorded: RecordedVisit[] = [];

async function fetchAll(): Promise<boolean> {
  const signed = device.value;
  if (signed === null || signed === undefined) return false;
  const { key } = signed;
  // Somebody may sign out meanwhile.
  const isSignedIn = (): boolean => device.value?.key === key;
  recorded = [];
  const list = await listOf(null, key);
  if (list === null || !isSignedIn()) return false;
  const { pages: today, receivedMs } = list;
  const [first] = today;
  if (first === undefined) return false;
  await keepDevice(deviceOf(key, first, receivedMs));
  const keys = await freshKeys();
  const days = [await dayOf(today, key, keys)];
  const before = addDays(first.date, -1);
  if (mayStillBeOpen(before)) {
    const earlier = await listOf(before, key);
    if (earlier !== null) days.push(await dayOf(earlier.pages, key, keys));
  }
  if (!isSignedIn()) return false;
  await keepKnown({ days: recorded.reduce(withVisit, days), keys });
  return true;
}

/** Venues that close after midnight: their vouchers of the day before are valid until then. */
function mayStillBeOpen(date: string): boolean {
  const kept = known.value.days.find((day) => day.date === date);
  return kept === undefined ? isEarly() : isValid(kept, serviceNowMs());
}

/** Before six in the morning at the venue. */
function isEarly(): boolean {
  const zone = device.value?.timeZone ?? 'UTC';
  return localDate(zone, serviceNowMs() - 6 * 3_600_000) !== localDate(zone, serviceNowMs());
}

function isValid({ items }: Day, nowMs: number): boolean {
  return items.some(({ valid_until }) => Date.parse(valid_until) > nowMs);
}

/** Deletes the lists of days that are over at the venue. What waits for its upload stays. */
export async function deletePastDays(): Promise<void> {
  const signed = device.value;
  if (signed === null || signed === undefined) return;
  const nowMs = serviceNowMs();
  const today = localDate(signed.timeZone, nowMs);
  const days = known.value.days.filter((day) => day.date >= today || isValid(day, nowMs));
  if (days.length < known.value.days.length) await keepKnown({ ...known.value, days });
}

/** Notes on the phone's list how many guests of a booking came. */
export async function markPresent(visit: RecordedVisit): Promise<void> {
  recorded.push(visit);
  await keepKnown({ ...known.value, days: withVisit(known.value.days, visit) });
}

type RecordedVisit = {
  readonly bookingId: string | null;
  readonly hash: string | null;
  readonly guestsPresent: number;
  readonly at: string;
};

function withVisit(days: readonly Day[], visit: RecordedVisit): readonly Day[] {
  const isIt = ({ booking_id: id, code_hash: hash }: Arrival): boolean =>
    id === visit.bookingId || (visit.hash !== null && hexOfBase32(hash) === visit.hash);
  return days.map((day) => ({
    ...day,
    items: day.items.map((item) => {
      if (!isIt(item)) return item;
      const present = Math.max(item.guests_present, visit.guestsPresent);
      return { ...item, status: 'completed', guests_present: present, verified_at: item.verified_at ?? visit.at };
    }),
  }));
}

/** Handles a refusal of the device itself. @returns whether it was one */
export async function deviceRefused(code: string): Promise<boolean> {
  paused.value = code === 'KEY_INACTIVE';
  if (code === 'INVALID_DEVICE_KEY') await forgetDevice('removed');
  return paused.value || code === 'INVALID_DEVICE_KEY';
}

/** `receivedMs`: when the first page arrived, by the phone's clock. */
type List = { readonly pages: readonly ArrivalsPage[]; readonly receivedMs: number };

/** All pages of a day's list; null without all of them. */
async function listOf(date: string | null, key: string): Promise<List | null> {
  const pages: ArrivalsPage[] = [];
  let receivedMs = 0;
  let cursor: string | null = null;
  do {
    const page: client.Outcome<ArrivalsPage> = await client.arrivals({ date: pages[0]?.date ?? date, cursor }, { key });
    online.value = page.kind !== 'unanswered';
    if (page.kind === 'refused') await deviceRefused(page.code);
    if (page.kind !== 'answered') return null;
    paused.value = false;
    if (pages.length === 0) receivedMs = Date.now();
    pages.push(page.data);
    cursor = page.data.next_cursor;
  } while (cursor !== null && pages.length < MOST_PAGES);
  return { pages, receivedMs };
}

async function dayOf(pages: readonly ArrivalsPage[], key: string, keys: Keys): Promise<Day> {
  const [first] = pages;
  if (first === undefined) throw new Error('a list has a first page');
  const { date, issued_at: issuedAt, venue_id: venueId } = first;
  const items: Arrival[] = pages.flatMap((page) => page.items);
  const answer = await client.revocations(date, { key });
  const signed = answer.kind === 'answered' ? await readRevocations(answer.data.list, { venueId, date, keys }) : null;
  const before = known.value.days.find((day) => day.date === date)?.revocations ?? null;
  return { date, issuedAtMs: Date.parse(issuedAt), items, revocations: signed ?? before };
}

async function freshKeys(): Promise<Keys> {
  const published = await client.publishedKeys();
  return published === null ? known.value.keys : Object.fromEntries(published.keys.map(({ kid, x }) => [kid, x]));
}

/** The clock of the service is at `issued_at` or later when the answer arrives, so the corrected time is never ahead of it. */
function deviceOf(key: string, page: ArrivalsPage, receivedMs: number): Device {
  return {
    key,
    venueId: page.venue_id,
    venueName: page.venue_name,
    timeZone: page.time_zone,
    deviceName: page.device_name,
    mode: page.mode,
    admitAtOnce: page.admit_at_once ?? false,
    offsetMs: Date.parse(page.issued_at) - receivedMs,
  };
}
