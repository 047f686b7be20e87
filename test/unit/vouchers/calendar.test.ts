import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { type CalendarEntry, calendarFile, calendarFileName } from '../../../src/vouchers/calendar.ts';

const entry: CalendarEntry = {
  bookingId: 'bk_h76cfakt2c43vdqm2ryg',
  version: 3,
  cancelled: false,
  title: 'Aquarium walk',
  description: 'Group entrance, floor B1.\nLockers; free.',
  location: 'Siam Ocean World, 991 Rama I Road',
  position: { lat: 13.7466, lon: 100.5347 },
  hours: { opensAtMs: Date.parse('2026-11-21T03:00:00Z'), closesAtMs: Date.parse('2026-11-21T11:00:00Z') },
  date: '2026-11-21',
  writtenAtMs: Date.parse('2026-11-20T02:05:00Z'),
};

/** Reads as RFC 5545 says, and refuses what it forbids. Lines in order: name with parameters, and value. */
function parsed(file: string): readonly (readonly [string, string])[] {
  if (!file.endsWith('\r\n') || /[^\r]\n|\r[^\n]/.test(file)) throw new Error('a line does not end in CRLF');
  const physical = file.slice(0, -2).split('\r\n');
  for (const line of physical) if (Buffer.byteLength(line) > 75) throw new Error(`over 75 octets: ${line}`);
  const lines = physical.join('\n').replaceAll('\n ', '').split('\n');
  return lines.map((line) => {
    const [, name, value] = /^([A-Z-]+(?:;[A-Z]+=[A-Z-]+)*):(.*)$/s.exec(line) ?? [];
    if (name === undefined || value === undefined) throw new Error(`no content line: ${line}`);
    return [name, value];
  });
}

/** The plain text of a value; throws for a character that must be escaped. */
function plain(value: string): string {
  if (/(?<!\\)(?:\\\\)*[;,]/.test(value) || /\\(?![\\;,nN])/.test(value.replaceAll('\\\\', '')))
    throw new Error(`not escaped: ${value}`);
  return value.replace(/\\([\\;,nN])/g, (_, character: string) => (/n/i.test(character) ? '\n' : character));
}

const valueOf = (file: string, name: string): string | undefined => parsed(file).find(([each]) => each === name)?.[1];

describe('the calendar file', () => {
  test('has the booked hours as instants, the place and the booking', () => {
    expect(parsed(calendarFile(entry))).toEqual([
      ['BEGIN', 'VCALENDAR'],
      ['VERSION', '2.0'],
      ['PRODID', '-//Waymark//Voucher//EN'],
      ['CALSCALE', 'GREGORIAN'],
      ['METHOD', 'PUBLISH'],
      ['BEGIN', 'VEVENT'],
      ['UID', 'bk_h76cfakt2c43vdqm2ryg@waymark'],
      ['SEQUENCE', '3'],
      ['DTSTAMP', '20261120T020500Z'],
      ['DTSTART', '20261121T030000Z'],
      ['DTEND', '20261121T110000Z'],
      ['STATUS', 'CONFIRMED'],
      ['TRANSP', 'TRANSPARENT'],
      ['CLASS', 'PRIVATE'],
      ['SUMMARY', 'Aquarium walk'],
      ['LOCATION', 'Siam Ocean World\\, 991 Rama I Road'],
      ['GEO', '13.7466;100.5347'],
      ['DESCRIPTION', 'Group entrance\\, floor B1.\\nLockers\\; free.'],
      ['END', 'VEVENT'],
      ['END', 'VCALENDAR'],
    ]);
  });

  test('of a cancelled booking cancels the entry', () => {
    expect(valueOf(calendarFile({ ...entry, cancelled: true, version: 4 }), 'STATUS')).toBe('CANCELLED');
  });

  test('without hours is an entry of the day', () => {
    const file = calendarFile({ ...entry, hours: null, position: null, location: '' });
    expect(valueOf(file, 'DTSTART;VALUE=DATE')).toBe('20261121');
    expect(file).not.toMatch(/DTEND|GEO|LOCATION/);
  });

  test('any text comes back whole, in lines of at most 75 octets', () => {
    const text = fc.string({
      unit: fc.constantFrom('a', ' ', ',', ';', '\\', '\n', ':', '"', 'é', '水', 'ไ', '🐘'),
      maxLength: 300,
      size: 'max',
    });
    fc.assert(
      fc.property(text, text, (title, description) => {
        const file = calendarFile({ ...entry, title, description });
        expect(plain(valueOf(file, 'SUMMARY') ?? '')).toBe(title);
        expect(plain(valueOf(file, 'DESCRIPTION') ?? '')).toBe(description);
      }),
    );
  });

  test('its name tells nothing of the booking', () => {
    expect(calendarFileName(entry.bookingId)).toMatch(/^waymark-[0-9a-f]{8}\.ics$/);
    expect(calendarFileName('bk_other')).not.toBe(calendarFileName(entry.bookingId));
  });
});
