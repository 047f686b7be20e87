import type { VoucherState, VoucherView } from '../../../src/vouchers/page-view.ts';
import { signToken } from '../../../src/vouchers/token.ts';
import { someCode, someFacts, someKey } from './given.ts';

export const token = signToken(someFacts, someKey);
const url = `https://waymark.example/api/vouchers/${someCode}`;
export const qrText = `${url}#${token}`;
export const SPOILT: readonly Exclude<VoucherState, { kind: 'valid' }>[] = [
  { kind: 'used', atMs: Date.parse('2026-11-21T03:12:00Z') },
  { kind: 'cancelled', atMs: Date.parse('2026-11-19T17:30:00Z'), refundMinor: 150_000 },
  { kind: 'expired' },
];

export const view: VoucherView = {
  language: 'en',
  state: { kind: 'valid', qrText },
  code: someCode,
  test: false,
  activityTitle: 'Aquarium walk',
  guestName: 'Somchai Prasertkul',
  date: '2026-11-21',
  openingHours: '10:00-18:00',
  numAdults: 2,
  numChildren: 1,
  city: 'Bangkok',
  venueName: 'Siam Ocean World',
  venueAddress: '991 Rama I Road, Bangkok 10330',
  checkIn: 'Group entrance, floor B1.\nLockers are free.',
  validUntilMs: someFacts.validUntilMs,
  bookingId: 'bk_h76cfakt2c43vdqm2ryg',
  totalMinor: 240_000,
  discountMinor: 24_000,
  retainedMinor: 12_000,
  currency: 'THB',
  cancellation: { freeUntilHours: 24, percentKept: 50 },
  position: { lat: 13.7466, lon: 100.5347 },
  shortCode: '7GK2M0Q9XW',
  url,
  picture: '/pictures/aquarium-walk.svg',
  support: null,
  writtenAtMs: Date.parse('2026-11-20T02:05:00Z'),
};

/** The visible text: without style sheet, tags and title element, entities decoded, spaces as displayed. */
export function visible(page: string): string {
  const body = page.slice(page.indexOf('<body>'));
  const text = body
    .replace(/<svg.*?<\/svg>/gs, '')
    .replace(/<[^>]*>/g, ' ')
    .replace(/\s+/g, ' ');
  return text.replace(/&(lt|gt|quot|#39|amp);/g, (entity) => DECODED[entity] ?? entity);
}

const DECODED: Readonly<Record<string, string>> = {
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
  '&amp;': '&',
};
