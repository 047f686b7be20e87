import { render } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { ListView } from './list-view.tsx';
import { MoreView } from './more-view.tsx';
import { ageMs, OLD_MS } from './offline-check.ts';
import { conflicts, forgetPastNames, loadQueue, upload } from './queue.ts';
import { shown } from './scan.ts';
import { ScanView } from './scan-view.tsx';
import { SignInPage } from './sign-in.tsx';
import { prepareSound } from './signals.ts';
import { device, known, link, load, online, paused, queue, serviceNowMs, settings, type View, view } from './state.ts';
import { deletePastDays, refresh } from './sync.ts';
import { texts } from './texts.ts';
import { localClock } from './venue-time.ts';
import { VerdictView } from './verdict-view.tsx';
import { WaitingView } from './waiting-view.tsx';

const EVERY_MS = 60_000;
/** The service records each reading of guests' names, so a list is not read each minute. */
const YOUNG_MS = 5 * EVERY_MS - 10_000;

/** Another release of this page is installed. The files of this one stay until it is loaded again. */
let isReplaced = false;
let isControlled = Boolean(navigator.serviceWorker?.controller);
navigator.serviceWorker?.addEventListener('controllerchange', () => {
  isReplaced = isControlled;
  isControlled = true;
});

takeLink();
addEventListener('hashchange', takeLink);

/** Takes the key out of the link that opened the page. It leaves the address at once, and with it the browser's history. */
function takeLink(): void {
  if (location.hash.length <= 1) return;
  link.value = location.hash.slice(1);
  history.replaceState(null, '', location.pathname);
}

const VIEWS: Readonly<Record<View, () => preact.JSX.Element>> = {
  scan: ScanView,
  list: ListView,
  waiting: WaitingView,
  more: MoreView,
};

function Gate() {
  const [hasStorage, setHasStorage] = useState(true);
  const { language } = settings.value;
  useEffect(() => {
    document.documentElement.lang = language;
  }, [language]);
  useEffect(() => {
    const start = async (): Promise<void> => {
      try {
        await load();
        await loadQueue();
      } catch {
        setHasStorage(false);
        return;
      }
      await fetchAndUpload();
    };
    void start();
    const timer = setInterval(() => void everyMinute(), EVERY_MS);
    const now = (): void => void fetchAndUpload();
    addEventListener('online', now);
    document.addEventListener('visibilitychange', now);
    document.addEventListener('pointerdown', prepareSound);
    return () => {
      clearInterval(timer);
      removeEventListener('online', now);
      document.removeEventListener('visibilitychange', now);
      document.removeEventListener('pointerdown', prepareSound);
    };
  }, []);
  const key = device.value?.key;
  useEffect(() => {
    if (link.value === key) link.value = null;
  }, [key, link.value]);
  const { signIn, loading } = texts();
  if (!hasStorage) return <p class="notice">{signIn.noStorage}</p>;
  if (device.value === undefined) return <p>{loading}</p>;
  if (device.value === null) return <SignInPage />;
  const Shown = VIEWS[view.value];
  const isCovered = shown.value !== null;
  return (
    <>
      <Top />
      {link.value !== null && link.value !== key && (
        <p class="notice" role="alert">
          {signIn.other}
        </p>
      )}
      <main inert={isCovered}>
        <Shown />
      </main>
      <Tabs />
      {shown.value !== null && <VerdictView of={shown.value} />}
    </>
  );
}

async function everyMinute(): Promise<void> {
  if (isReplaced && shown.value === null) location.reload();
  const [day] = known.value.days;
  const isYoung = day !== undefined && ageMs(day, serviceNowMs()) < YOUNG_MS;
  if (!isYoung || !online.value) return fetchAndUpload();
  await deletePastDays();
  if (!document.hidden && queue.value.length > 0) await upload();
}

/** Lists and uploads while the page is in view. A phone in a pocket needs neither. */
async function fetchAndUpload(): Promise<void> {
  await deletePastDays();
  await forgetPastNames();
  if (document.hidden || device.value === null) return;
  if (await refresh()) await upload();
  else if (device.value !== null && queue.value.length > 0) await upload();
}

/** Which venue and device this is, and how far the phone can be trusted. */
function Top() {
  const text = texts();
  const signed = device.value;
  const [day] = known.value.days;
  const clock = day === undefined ? null : localClock(text.locale, signed?.timeZone ?? 'UTC', day.issuedAtMs);
  const refused = conflicts().length;
  const isOld = day !== undefined && ageMs(day, serviceNowMs()) > OLD_MS;
  return (
    <header>
      <p class="venue">
        <strong>{signed?.venueName}</strong> <span>{signed?.deviceName}</span>
      </p>
      <p class={online.value && !isOld ? 'state' : 'state warn'} role="status">
        {online.value ? text.online : clock === null ? text.offlineNoList : text.offline(clock)}
        {isOld && `. ${text.old}`}
      </p>
      {signed?.mode === 'test' && <p class="notice">{text.testMode}</p>}
      <div role="alert">
        {refused > 0 && view.value !== 'waiting' && (
          <button
            type="button"
            class="conflict-notice"
            onClick={() => {
              view.value = 'waiting';
            }}
          >
            {text.waiting.conflicts}: {refused}
          </button>
        )}
      </div>
      {paused.value && (
        <p class="notice" role="alert">
          {text.paused}
        </p>
      )}
    </header>
  );
}

function Tabs() {
  const { views } = texts();
  const count = queue.value.length;
  const isConflict = conflicts().length > 0;
  return (
    <nav inert={shown.value !== null}>
      {(['scan', 'list', 'waiting', 'more'] as const).map((name) => (
        <button
          key={name}
          type="button"
          aria-current={view.value === name ? 'page' : undefined}
          onClick={() => {
            view.value = name;
          }}
        >
          {views[name]}
          {name === 'waiting' && count > 0 && <span class={isConflict ? 'badge conflict' : 'badge'}>{count}</span>}
        </button>
      ))}
    </nav>
  );
}

const root = document.getElementById('gate');
if (root !== null) {
  root.textContent = '';
  render(<Gate />, root);
  const { worker } = root.dataset;
  const script = document.querySelector<HTMLScriptElement>('script[type=module]');
  if (script !== null) navigator.serviceWorker?.controller?.postMessage({ loaded: new URL(script.src).pathname });
  if (worker !== undefined && 'serviceWorker' in navigator)
    // Without it the page works, but only with a network.
    navigator.serviceWorker.register(worker, { scope: '/gate' }).catch(() => undefined);
}
