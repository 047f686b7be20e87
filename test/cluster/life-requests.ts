import { addDays, localDate } from '../../src/domain/activity/schedule.ts';
import type { BookingId } from '../../src/domain/ids.ts';
import { paidMinor } from '../chaos/kill/booking-in-log.ts';
import { readHistory } from '../chaos/kill/history.ts';
import type { Request } from '../model/sequences/tested-service.ts';
import { type Answer, until } from './client.ts';
import { NOW, type ThreeNodes } from './three-nodes.ts';

/** 10 slots a day at 120.50 baht, confirmed at once, free to cancel until the day before. */
export const ACTIVITY = 'river-walk';
export const CAPACITY = 10;
export const UNIT_MINOR = 12_050;
export const TODAY = localDate('Bangkok', NOW);
export const HOLD_MS = 600_000;

const REAPED_MS = 30_000;
/** Late enough that every cancellation is free. */
const FIRST_DAY = 3;
const BOOK = '/api/b2a/execute_booking';

let days = FIRST_DAY;
let names = 0;
let keys = 0;

/** Two consecutive days that no other test uses. */
export function ownDays(): readonly [string, string] {
  const today = localDate('Bangkok', NOW);
  const pair = [addDays(today, days), addDays(today, days + 1)] as const;
  days += pair.length;
  return pair;
}

/** A new Idempotency-Key. */
export function freshKey(): string {
  return `key-${++keys}`;
}

/** A new guest's name. */
export function guest(): string {
  return `Guest quetzal-${String(++names).padStart(6, '0')}`;
}

/** A booking for two, unless `change` says otherwise, under a new name. */
export function book(date: string, change: object = {}, key: string = freshKey()): Request {
  const wish = { activity_id: ACTIVITY, booking_date: date, num_adults: 2 };
  return post(BOOK, { ...wish, user_name: guest(), user_email: 'a@example.com', ...change }, key);
}

export function hold(date: string, guests: number, key: string = freshKey()): Request {
  return post('/api/b2a/holds', { activity_id: ACTIVITY, booking_date: date, num_adults: guests }, key);
}

export function modify(booking: string, change: object, key: string = freshKey(), version?: number): Request {
  const request = post(`/api/b2a/bookings/${booking}/modify`, change, key);
  return version === undefined ? request : withHeader(request, 'if-match', `"${version}"`);
}

export function cancel(booking: string, key: string = freshKey(), version?: number): Request {
  const request = post(`/api/b2a/bookings/${booking}/cancel`, {}, key);
  return version === undefined ? request : withHeader(request, 'if-match', `"${version}"`);
}

export function visit(code: string, key: string = freshKey()): Request {
  return { ...post('/api/venue/verify', { code, gate: 'north' }, key), as: 'gate' };
}

/** The report of a scan that was made offline, at a time in ms since the epoch. */
export function lateVisit(code: string, scannedAtMs: number): Request {
  const scan = { code, gate: 'north', verified_at: new Date(scannedAtMs).toISOString() };
  return { ...post('/api/venue/verify', scan, freshKey()), as: 'gate' };
}

/** "200", or the status and the code of a refusal. */
export function outcomeOf({ status, code }: Answer): string {
  return code === '' ? String(status) : `${status} ${code}`;
}

/** Sends a request that must succeed; returns the id of its booking or hold, and the voucher's code. */
export async function done(nodes: ThreeNodes, place: number, request: Request) {
  const { status, code, error, data } = await nodes.tell(place, request);
  if (status !== 200 && status !== 201) throw new Error(`${request.path} was answered ${status} ${code}: ${error}`);
  const voucher = data['voucher'] as { readonly code: string } | null | undefined;
  return { id: String(data['booking_id'] ?? data['hold_id']), code: voucher?.code ?? '' };
}

type BookingInLog = {
  readonly status: string;
  readonly version: number;
  readonly date: string;
  readonly guests: number;
  readonly paidMinor: number;
};

/** A booking folded from the log; null if there is none. */
export async function inLog(nodes: ThreeNodes, id: string): Promise<BookingInLog | null> {
  const { bookings } = readHistory(await nodes.log());
  const booking = bookings.get(id as BookingId);
  if (booking === undefined) return null;
  const { status, version, facts, money } = booking;
  return { status, version, date: facts.date, guests: facts.numAdults, paidMinor: paidMinor({ money }) };
}

/** Free slots of the activity on each date. */
export function freeOn(nodes: ThreeNodes, place: number, dates: readonly string[]): Promise<number[]> {
  return Promise.all(
    dates.map(async (date) => {
      const path = `/api/b2a/inventory?activity_id=${ACTIVITY}&date=${date}`;
      const answer = await nodes.tell(place, { method: 'GET', path, as: 'key', body: null, headers: {} });
      const [item] = answer.code === 'NO_INVENTORY' ? [] : (answer.data['inventory'] as { available_slots: number }[]);
      return item?.available_slots ?? 0;
    }),
  );
}

/** Advances the background nodes' clock until so many slots are free. @throws after REAPED_MS */
export async function reaped(nodes: ThreeNodes, place: number, dates: readonly string[], free: readonly number[]) {
  await until(`${free.join(' and ')} slots are free`, REAPED_MS, async () => {
    nodes.working.advance(1_000);
    return Bun.deepEquals(await freeOn(nodes, place, dates), free);
  });
}

function post(path: string, body: object, key: string): Request {
  return { method: 'POST', path, as: 'key', body, headers: { 'idempotency-key': key } };
}

function withHeader(request: Request, name: string, value: string): Request {
  return { ...request, headers: { ...request.headers, [name]: value } };
}
