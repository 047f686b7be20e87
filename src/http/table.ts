/** A value of a table: text, a number, or nothing. */
export type Value = string | number | null;

/**
 * A table as RFC 4180 has it: a header row, CRLF behind every row, quotes where a text needs them. Nothing is an empty
 * field. A text that a spreadsheet would run as a formula gets an apostrophe in front, which makes it a text again.
 */
export function csv(header: readonly string[], rows: readonly (readonly Value[])[]): string {
  return [header, ...rows].map((row) => `${row.map(csvField).join(',')}\r\n`).join('');
}

/** One JSON object in each line. */
export function ndjson(items: readonly object[]): string {
  return items.map((item) => `${JSON.stringify(item)}\n`).join('');
}

function csvField(value: Value): string {
  if (typeof value !== 'string') return value === null ? '' : String(value);
  const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
