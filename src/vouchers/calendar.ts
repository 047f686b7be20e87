import { createHash } from 'node:crypto';

/** A booking as an event of a calendar. Times in ms since the epoch. */
export type CalendarEntry = {
  readonly bookingId: string;
  /** The booking's version: a later entry with the same id replaces an earlier one. */
  readonly version: number;
  readonly cancelled: boolean;
  readonly title: string;
  readonly description: string;
  readonly location: string;
  /** Degrees; null: unknown. */
  readonly position: { readonly lat: number; readonly lon: number } | null;
  /** Null: only the date is known. */
  readonly hours: { readonly opensAtMs: number; readonly closesAtMs: number } | null;
  /** Local date of the city, `YYYY-MM-DD`. */
  readonly date: string;
  readonly writtenAtMs: number;
};

/** Octets of a line without its line break (RFC 5545, 3.1). */
const MAX_OCTETS = 75;

/**
 * The booking in RFC 5545. Instants are in UTC, which every calendar shows in its own zone. The entry contains neither the
 * voucher's code nor its address: people share calendars.
 */
export function calendarFile(entry: CalendarEntry): string {
  const { bookingId, version, cancelled, title, description, location, position, writtenAtMs } = entry;
  const lines = [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'PRODID:-//Waymark//Voucher//EN',
    'CALSCALE:GREGORIAN',
    'METHOD:PUBLISH',
    'BEGIN:VEVENT',
    `UID:${bookingId}@waymark`,
    `SEQUENCE:${version}`,
    `DTSTAMP:${utc(writtenAtMs)}`,
    ...timesOf(entry),
    `STATUS:${cancelled ? 'CANCELLED' : 'CONFIRMED'}`,
    'TRANSP:TRANSPARENT',
    'CLASS:PRIVATE',
    `SUMMARY:${escaped(title)}`,
    ...(location === '' ? [] : [`LOCATION:${escaped(location)}`]),
    ...(position === null ? [] : [`GEO:${position.lat};${position.lon}`]),
    `DESCRIPTION:${escaped(description)}`,
    'END:VEVENT',
    'END:VCALENDAR',
  ];
  return lines.map((line) => `${folded(line)}\r\n`).join('');
}

/** A name for the file that tells nothing of the booking, and differs between bookings. */
export function calendarFileName(bookingId: string): string {
  return `waymark-${createHash('sha256').update(bookingId).digest('hex').slice(0, 8)}.ics`;
}

function timesOf({ hours, date }: CalendarEntry): readonly string[] {
  if (hours !== null) return [`DTSTART:${utc(hours.opensAtMs)}`, `DTEND:${utc(hours.closesAtMs)}`];
  return [`DTSTART;VALUE=DATE:${date.replaceAll('-', '')}`];
}

/** `20261121T030000Z` */
function utc(atMs: number): string {
  return `${new Date(atMs).toISOString().slice(0, 19).replace(/[-:]/g, '')}Z`;
}

/** A text value (RFC 5545, 3.3.11). */
function escaped(text: string): string {
  return text.replace(/[\\;,]/g, '\\$&').replace(/\r\n|\r|\n/g, '\\n');
}

/** Breaks a line into lines of at most 75 octets, never inside a character. */
function folded(line: string): string {
  let [text, octets] = ['', 0];
  for (const character of line) {
    const length = Buffer.byteLength(character);
    if (octets + length > MAX_OCTETS) {
      text += '\r\n ';
      octets = 1;
    }
    text += character;
    octets += length;
  }
  return text;
}
