import { useEffect, useRef } from 'preact/hooks';

/** Without input for this time, a page stops to load by itself: otherwise an open tab would keep its session alive. */
const IDLE_MS = 10 * 60_000;
/** Instead of a read model: rebuilds of any. */
export const REBUILDS = 'rebuilds';
/** Time after which a refused stream is tried again. */
const RETRY_MS = 30_000;
const INPUT = ['pointerdown', 'keydown', 'wheel', 'touchstart', 'focus'] as const;

type Subscriber = { readonly readModels: ReadonlySet<string>; readonly changed: () => void; missed: boolean };

const subscribers = new Set<Subscriber>();
let source: EventSource | null = null;
/** Whether the stream was interrupted: what changed meanwhile is not known. */
let interrupted = false;
let lastInputMs = Date.now();

for (const type of INPUT) addEventListener(type, noteInput, { passive: true, capture: true });
document.addEventListener('visibilitychange', noteInput);

/**
 * Calls `changed` after a read model has changed: at most once a second, and only while the page is visible and in use.
 *
 * @param readModels names of collections, without their version
 */
export function useLive(readModels: readonly string[], changed: () => void): void {
  const latest = useRef(changed);
  latest.current = changed;
  const key = readModels.join(' ');
  useEffect(() => {
    if (key === '') return undefined;
    const subscriber = { readModels: new Set(key.split(' ')), changed: () => latest.current(), missed: false };
    subscribers.add(subscriber);
    source ??= open();
    return () => {
      subscribers.delete(subscriber);
      if (subscribers.size > 0) return;
      source?.close();
      source = null;
      // The next page loads everything.
      interrupted = false;
    };
  }, [key]);
}

/** Opens the stream again, with the cookie of a new session. */
export function reconnectLive(): void {
  source?.close();
  source = subscribers.size > 0 ? open() : null;
}

function open(): EventSource {
  const opened = new EventSource('/api/live');
  opened.addEventListener('ready', () => {
    if (interrupted) tell(() => true);
    interrupted = false;
  });
  opened.addEventListener('changed', ({ data }: MessageEvent<string>) => {
    const { read_models: names } = JSON.parse(data) as { readonly read_models: readonly string[] };
    tell((subscriber) => names.some((name) => subscriber.readModels.has(name)));
  });
  opened.addEventListener('rebuild', () => tell(({ readModels }) => readModels.has(REBUILDS)));
  opened.addEventListener('error', () => {
    interrupted = true;
    // A browser does not try again after a refusal: too many streams, or a node that stops.
    if (opened.readyState === EventSource.CLOSED) setTimeout(() => source === opened && reconnectLive(), RETRY_MS);
  });
  return opened;
}

function tell(concerned: (subscriber: Subscriber) => boolean): void {
  for (const subscriber of subscribers) {
    if (!concerned(subscriber)) continue;
    if (inUse()) subscriber.changed();
    else subscriber.missed = true;
  }
}

function inUse(): boolean {
  return document.visibilityState === 'visible' && Date.now() - lastInputMs < IDLE_MS;
}

function noteInput(): void {
  lastInputMs = Date.now();
  if (document.visibilityState !== 'visible') return;
  for (const subscriber of subscribers) {
    if (!subscriber.missed) continue;
    subscriber.missed = false;
    subscriber.changed();
  }
}
