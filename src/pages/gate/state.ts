import { signal } from '@preact/signals';
import { LANGUAGES, type Language } from '../../domain/activity/vocabulary.ts';
import type { Entry } from './entry.ts';
import type { Known } from './offline-check.ts';
import { Store } from './store.ts';

/** The device that is signed in on this phone. */
export type Device = {
  readonly key: string;
  readonly venueId: string;
  readonly venueName: string;
  readonly timeZone: string;
  readonly deviceName: string;
  readonly mode: 'live' | 'test';
  readonly admitAtOnce: boolean;
  /** Added to the phone's clock, it is the service's. Ms. */
  readonly offsetMs: number;
};

export type Settings = { readonly language: Language; readonly sound: boolean; readonly vibration: boolean };

export type View = 'scan' | 'list' | 'waiting' | 'more';

/** Undefined until the store is read; null if nobody is signed in. */
export const device = signal<Device | null | undefined>(undefined);
export const known = signal<Pick<Known, 'days' | 'keys'>>({ days: [], keys: {} });
export const queue = signal<readonly Entry[]>([]);
/** Whether the last request was answered. */
export const online = signal(true);
export const paused = signal(false);
/** The key in a link that opened the page, until it is used. */
export const link = signal<string | null>(null);
/** Why nobody is signed in any more. */
export const ended = signal<'removed' | null>(null);
export const view = signal<View>('scan');
export const settings = signal<Settings>({ language: preferredLanguage(), sound: true, vibration: true });

let opened: Promise<Store> | null = null;

/** Opened once. */
export function store(): Promise<Store> {
  opened ??= Store.open();
  return opened;
}

/** The service's time, as this phone knows it. Ms since the epoch. */
export function serviceNowMs(): number {
  const nowMs = Date.now() + (device.value?.offsetMs ?? 0);
  latestMs = Math.max(latestMs, nowMs);
  return nowMs;
}

/** The latest time since the last list: a phone's clock that is set back makes no list young. */
let latestMs = 0;

/** As `serviceNowMs`, and never earlier than before. */
export function steadyNowMs(): number {
  return Math.max(serviceNowMs(), latestMs);
}

/** Reads what the phone keeps. */
export async function load(): Promise<void> {
  const kept = await store();
  settings.value = (await kept.get<Settings>('settings')) ?? settings.value;
  known.value = (await kept.get<typeof known.value>('known')) ?? known.value;
  device.value = await kept.get<Device>('device');
}

export async function changeSettings(change: Partial<Settings>): Promise<void> {
  settings.value = { ...settings.value, ...change };
  await (await store()).put('settings', settings.value);
}

export async function keepDevice(value: Device): Promise<void> {
  await (await store()).put('device', value);
  ended.value = null;
  // The service has just said the time.
  latestMs = 0;
  device.value = value;
}

export async function keepKnown(value: typeof known.value): Promise<void> {
  // First: two changes at once are both kept.
  known.value = value;
  await (await store()).put('known', value);
}

/** Deletes everything of the device: its key, the lists, and what waits. */
export async function forgetDevice(why: typeof ended.value): Promise<void> {
  const kept = await store();
  await kept.clear();
  await kept.put('settings', settings.value);
  known.value = { days: [], keys: {} };
  queue.value = [];
  paused.value = false;
  view.value = 'scan';
  ended.value = why;
  device.value = null;
}

function preferredLanguage(): Language {
  for (const wanted of navigator.languages) {
    const found = LANGUAGES.find((language) => language === wanted.slice(0, 2).toLowerCase());
    if (found !== undefined) return found;
  }
  return 'en';
}
