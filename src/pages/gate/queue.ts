import { parseToken } from '../../vouchers/token-text.ts';
import * as client from './client.ts';
import type { Entry, Fault } from './entry.ts';
import { signalTone } from './signals.ts';
import { hashOfCode, hexOfBase32 } from './signature.ts';
import { device, forgetDevice, known, online, paused, queue, serviceNowMs, store } from './state.ts';
import { deviceRefused, markPresent, refresh } from './sync.ts';
import { isVerdict, mayOvertake, nextTryMs, type Sent, uploadRound, withFault } from './upload-round.ts';
import { localDate } from './venue-time.ts';
import type { Refusal } from './verdict.ts';

const PREFIX = 'queue:';
const DIGITS = 16;
const LAST = 'last-sequence';
/** Of Web Locks: one tab at a time uploads. */
const UPLOAD = 'waymark-gate-upload';
/** Waits between attempts to upload, doubled up to the last. */
const FIRST_WAIT_MS = 2_000;
const LAST_WAIT_MS = 60_000;
const UPLOAD_MS = 10_000;
/** A refused time is corrected only for scans that are this young, or in the future. */
const RECENT_MS = 60_000;

/** Codes of the device, not of the entry: the entry waits. */
const OF_DEVICE: ReadonlySet<string> = new Set(['INVALID_DEVICE_KEY', 'KEY_INACTIVE', 'RATE_LIMITED']);

export const waiting = (): readonly Entry[] => queue.value.filter(({ conflict }) => conflict === null);
export const conflicts = (): readonly Entry[] => queue.value.filter(({ conflict }) => conflict !== null);

/** When this phone admitted a voucher, by hash of code, of what is not uploaded yet or is a conflict. */
export function admittedHere(): Record<string, number> {
  const items = known.value.days.flatMap((day) => day.items);
  const admitted: Record<string, number> = {};
  for (const { sent, hash, guest, at } of queue.value) {
    if (sent.kind !== 'visit') continue;
    // A short code is not the code: the list has its hash.
    const listed = items.find(({ booking_id: id }) => id === guest?.bookingId);
    for (const each of [hash, listed === undefined ? null : hexOfBase32(listed.code_hash)])
      if (each !== null) admitted[each] = Date.parse(at);
  }
  return admitted;
}

/** When this phone admitted a booking whose upload waits; null if there is none. */
export function admittedAt(bookingId: string | null): number | null {
  const entry = waiting().find(({ sent, guest }) => sent.kind === 'visit' && guest?.bookingId === bookingId);
  return bookingId === null || entry === undefined ? null : Date.parse(entry.at);
}

function withoutCode({ sent }: Entry): Entry['sent'] {
  return sent.kind === 'visit' ? { ...sent, code: '' } : sent;
}

/** Deletes names and codes of conflicts once the day of the admission is over at the venue. */
export async function forgetPastNames(): Promise<void> {
  const zone = device.value?.timeZone ?? 'UTC';
  const today = localDate(zone, serviceNowMs());
  for (const entry of conflicts()) {
    const isPast = localDate(zone, Date.parse(entry.at)) < today;
    if (isPast && entry.guest?.name !== null && entry.guest !== null)
      await keep({
        ...entry,
        guest: { ...entry.guest, name: null, requests: null },
        hash: null,
        sent: withoutCode(entry),
      });
  }
}

let loads = 0;

/** Reads the entries of the store, also those that another tab has written or uploaded. The load that began last counts. */
export async function loadQueue(): Promise<void> {
  loads++;
  const load = loads;
  const kept = await store();
  const entries: Entry[] = [];
  for (const name of await kept.names(PREFIX)) {
    const entry = await kept.get<Entry>(name);
    if (entry !== null) entries.push(entry);
  }
  if (load === loads) queue.value = entries;
}

type Wish = Pick<Entry, 'guest' | 'guestsPresent' | 'sent'>;

/**
 * Stores an entry; it is on disk when this resolves. The sequence is never below the time in ms, so it also grows after the
 * browser has deleted everything.
 */
export function enqueue(wish: Wish): Promise<Entry> {
  return navigator.locks.request('waymark-gate-sequence', async () => {
    const kept = await store();
    const sequence = Math.max(((await kept.get<number>(LAST)) ?? 0) + 1, serviceNowMs());
    await kept.put(LAST, sequence);
    const entry: Entry = {
      ...wish,
      sequence,
      idempotencyKey: crypto.randomUUID(),
      at: new Date(serviceNowMs()).toISOString(),
      hash: wish.sent.kind === 'visit' ? await hashIn(wish.sent.code) : null,
      conflict: null,
    };
    await kept.put(nameOf(entry), entry);
    await loadQueue();
    return entry;
  });
}

/**
 * Sends one entry now, and waits for the answer only as long as a scan may. Refused: the entry is deleted, because nobody was
 * let in yet. It stays and is uploaded later if there is no answer, or if earlier entries must be uploaded before.
 */
export async function uploadNow(entry: Entry): Promise<'recorded' | 'waiting' | Refusal> {
  const sent = await navigator.locks.request(UPLOAD, { ifAvailable: true }, async (lock) => {
    if (lock === null || !mayOvertake(entry, waiting())) return 'waiting';
    await loadQueue();
    // Another tab was faster.
    if (!waiting().some(({ sequence }) => sequence === entry.sequence)) return 'recorded';
    const outcome = await send(entry, client.SCAN_MS);
    const fault = faultOf(outcome);
    if (fault !== null && fault.status > 0) await noteFault(entry, fault);
    if (outcome.kind === 'unanswered' || fault !== null) return 'waiting';
    if (outcome.kind === 'refused' && (await isOfDevice(outcome.code))) return 'waiting';
    await remove(entry);
    if (outcome.kind === 'refused') return outcome;
    await recorded(entry);
    return 'recorded';
  });
  if (sent === 'waiting') void upload();
  return sent;
}

let waitMs = FIRST_WAIT_MS;
let timer: ReturnType<typeof setTimeout> | undefined;

/** Uploads what waits, in order. One tab at a time does so. */
export async function upload(): Promise<void> {
  clearTimeout(timer);
  const finished = await uploading(uploadAll);
  const open = waiting();
  if (device.value === null || (finished && open.length === 0)) {
    waitMs = FIRST_WAIT_MS;
    return;
  }
  const delayMs = finished ? Math.max(FIRST_WAIT_MS, (nextTryMs(open) ?? 0) - serviceNowMs()) : waitMs;
  waitMs = finished ? FIRST_WAIT_MS : Math.min(2 * waitMs, LAST_WAIT_MS);
  timer = setTimeout(() => void upload(), delayMs);
}

/** @returns false if entries wait and the service cannot take them now */
async function uploadAll(): Promise<boolean> {
  // Another tab may have uploaded before it released the lock.
  await loadQueue();
  return uploadRound({ waiting, nowMs: serviceNowMs, send: sendWaiting });
}

async function sendWaiting(entry: Entry): Promise<Sent> {
  if (paused.value && !(await refresh())) return 'stop';
  const outcome = await send(entry, UPLOAD_MS);
  const fault = faultOf(outcome);
  if (fault !== null) {
    await noteFault(entry, fault);
    // The next round begins with the others: their network may be slow too.
    return fault.status === 0 ? 'stop' : 'fault';
  }
  if (outcome.kind === 'unanswered') return 'stop';
  if (outcome.kind === 'refused') {
    if (await isOfDevice(outcome.code)) return 'stop';
    const { fault: _, ...ended } = entry;
    await keep({ ...ended, conflict: { code: outcome.code, details: outcome.details } });
    signalTone('refuse');
    return 'ended';
  }
  await remove(entry);
  await recorded(entry);
  return 'ended';
}

/** What keeps an entry waiting and says nothing about the others; null if the service decided, or was not reached. */
function faultOf(outcome: client.Outcome<unknown>): Pick<Fault, 'status' | 'code'> | null {
  if (outcome.kind === 'unanswered') return outcome.fault;
  const isFault = outcome.kind === 'refused' && !OF_DEVICE.has(outcome.code) && !isVerdict(outcome.code);
  return isFault ? { status: outcome.status, code: outcome.code } : null;
}

async function isOfDevice(code: string): Promise<boolean> {
  return (await deviceRefused(code)) || OF_DEVICE.has(code);
}

/** Keeps the entry as it was sent last, with its Idempotency-Key, so that a repetition is the same request. */
async function noteFault({ sequence }: Entry, fault: Pick<Fault, 'status' | 'code'>): Promise<void> {
  const present = waiting().find((each) => each.sequence === sequence);
  // The device was signed out meanwhile.
  if (present !== undefined) await keep(withFault(present, fault, serviceNowMs()));
}

/** A person has read the conflict. */
export function acknowledge(entry: Entry): Promise<void> {
  return remove(entry);
}

async function send(entry: Entry, timeoutMs: number): Promise<client.Outcome<unknown>> {
  const signed = device.value;
  if (signed === null || signed === undefined) return { kind: 'unanswered', fault: null };
  const outcome = await sendOnce(entry, signed, timeoutMs);
  if (outcome.kind !== 'refused' || outcome.code !== 'INVALID_REQUEST' || entry.sent.kind !== 'visit') return outcome;
  // The phone's clock differs from what the last list said: a scan of this minute gets the service's time.
  if (!(await refresh()) || serviceNowMs() - Date.parse(entry.at) > RECENT_MS) return outcome;
  const corrected = { ...entry, at: new Date(serviceNowMs()).toISOString(), idempotencyKey: crypto.randomUUID() };
  await keep(corrected);
  return sendOnce(corrected, signed, timeoutMs);
}

async function sendOnce(
  { sent, guestsPresent, at, sequence, idempotencyKey }: Entry,
  { key, deviceName }: { readonly key: string; readonly deviceName: string },
  timeoutMs: number,
): Promise<client.Outcome<unknown>> {
  const outcome =
    sent.kind === 'arrivals'
      ? await client.recordArrivals({ booking_id: sent.bookingId, guests_present: guestsPresent }, { key, timeoutMs })
      : await client.scan(
          {
            code: sent.code,
            gate: deviceName,
            verified_at: at,
            uploaded_sequence: sequence,
            ...(guestsPresent > 0 && { guests_present: guestsPresent }),
          },
          { key, timeoutMs, idempotencyKey },
        );
  // A fault of one upload is no lost network.
  if (outcome.kind !== 'unanswered') online.value = true;
  else if (outcome.fault === null || outcome.fault.status === 0) online.value = false;
  return outcome;
}

function uploading<T>(work: () => Promise<T>): Promise<T> {
  return navigator.locks.request(UPLOAD, work);
}

/** The list on the phone shows the visit before the next list comes. */
function recorded({ sent, hash, guest, guestsPresent, at }: Entry): Promise<void> {
  const bookingId = sent.kind === 'arrivals' ? sent.bookingId : (guest?.bookingId ?? null);
  return markPresent({ bookingId, hash, guestsPresent: guestsPresent || (guest?.numGuests ?? 1), at });
}

async function keep(entry: Entry): Promise<void> {
  await (await store()).put(nameOf(entry), entry);
  await loadQueue();
}

async function remove(entry: Entry): Promise<void> {
  await (await store()).delete(nameOf(entry));
  await loadQueue();
}

function nameOf({ sequence }: Pick<Entry, 'sequence'>): string {
  return PREFIX + String(sequence).padStart(DIGITS, '0');
}

/** Of a token its voucher's code; of a typed text the text. */
function hashIn(code: string): Promise<string> {
  const token = parseToken(code);
  return hashOfCode(token.kind === 'parsed' ? token.facts.code : code.trim().toUpperCase());
}

/** Signs the device out. What waits is lost: the page asks first. */
export function signOut(): Promise<void> {
  return uploading(() => forgetDevice(null));
}
