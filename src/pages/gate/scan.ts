import { signal } from '@preact/signals';
import { scannedText } from '../../vouchers/token-text.ts';
import * as client from './client.ts';
import { checkOffline, listedGuest } from './offline-check.ts';
import { admittedAt, admittedHere, enqueue, uploadNow } from './queue.ts';
import { signalTone } from './signals.ts';
import { device, known, online, steadyNowMs } from './state.ts';
import { deviceRefused } from './sync.ts';
import { guestOfScan, type Verdict, verdictOfRefusal } from './verdict.ts';

/** What the page shows of a scan. */
export type Shown =
  | { readonly kind: 'checking' }
  | { readonly kind: 'verdict'; readonly verdict: Verdict }
  | { readonly kind: 'admitting'; readonly verdict: Verdict }
  /** `uploaded` is false if the phone has stored it only; `present` 0 if the number is not known. */
  | { readonly kind: 'done'; readonly verdict: Verdict; readonly present: number; readonly uploaded: boolean }
  | { readonly kind: 'not-stored'; readonly verdict: Verdict };

export const shown = signal<Shown | null>(null);

// A name does not stay on the screen of a phone that is signed out.
device.subscribe((signed) => {
  if (signed === null) shown.value = null;
});

/**
 * Checks a scanned or typed text, and shows the verdict. Admits at once where the venue chose so. The code of the next guest takes
 * the place of an admission that is done, so that a guest costs one tap.
 */
export async function check(text: string): Promise<void> {
  const signed = device.value;
  const isBusy = shown.value !== null && shown.value.kind !== 'done';
  if (isBusy || signed === null || signed === undefined || text.trim() === '') return;
  shown.value = { kind: 'checking' };
  const verdict = await verdictOn(text, signed.key);
  if (verdict === null || device.value?.key !== signed.key) {
    shown.value = null;
    return;
  }
  if (verdict.tone === 'admit' && signed.admitAtOnce) {
    await admit(verdict, verdict.guest?.numGuests ?? 0);
    return;
  }
  show(verdict);
}

/** Null if the device was refused: the page shows that instead. */
async function verdictOn(text: string, key: string): Promise<Verdict | null> {
  const code = scannedText(text);
  const answer = await client.scan({ code, dry_run: true }, { key, timeoutMs: client.SCAN_MS });
  online.value = answer.kind !== 'unanswered';
  if (answer.kind === 'answered') {
    const guest = guestOfScan(answer.data);
    const atMs = admittedAt(guest.bookingId);
    // The service does not know yet what waits on this phone.
    return atMs === null
      ? { tone: 'admit', reason: null, atMs, where: null, guest, code, by: 'service' }
      : { tone: 'refuse', reason: 'VOUCHER_ALREADY_VERIFIED', atMs, where: null, guest, code, by: 'phone' };
  }
  const here = async (): Promise<Verdict | null> => {
    const { value } = device;
    if (value === null || value === undefined) return null;
    const { venueId, timeZone } = value;
    return checkOffline(text, { venueId, timeZone, ...known.value, admitted: admittedHere() }, steadyNowMs());
  };
  if (answer.kind === 'unanswered') return here();
  if (await deviceRefused(answer.code)) return here();
  return { ...verdictOfRefusal(answer, code), guest: await listedGuest(text, known.value.days) };
}

/**
 * Stores the admission, then shows it as done. It is sent at once; without an answer it is uploaded later.
 *
 * @param count guests who are present; 0 if the phone does not know how many are booked
 */
export async function admit(verdict: Verdict, count: number): Promise<void> {
  shown.value = { kind: 'admitting', verdict };
  const { guest, code } = verdict;
  try {
    const entry = await enqueue({ guest, guestsPresent: count, sent: { kind: 'visit', code } });
    const sent = await uploadNow(entry);
    // The operator has removed the device: nothing is stored any more.
    if (device.value === null) return close();
    if (typeof sent === 'object') show({ ...verdictOfRefusal(sent, code), guest });
    else {
      shown.value = { kind: 'done', verdict, present: count, uploaded: sent === 'recorded' };
      signalTone('admit');
    }
  } catch {
    // The phone has no space, or the browser has closed the database.
    shown.value = { kind: 'not-stored', verdict };
    signalTone('refuse');
  }
}

export function close(): void {
  shown.value = null;
}

function show(verdict: Verdict): void {
  shown.value = { kind: 'verdict', verdict };
  signalTone(verdict.tone);
}
