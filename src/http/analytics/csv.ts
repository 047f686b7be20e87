/** A cell of a table; null is an empty cell. */
export type Value = string | number | null;

/**
 * A table as CSV (RFC 4180). A text that a spreadsheet would run as a formula gets a leading apostrophe, so that it
 * stays a text.
 */
export function csv(header: readonly string[], rows: readonly (readonly Value[])[]): string {
  return [header, ...rows].map((row) => `${row.map(csvField).join(',')}\r\n`).join('');
}

/** NDJSON: one JSON object in each line. */
export function ndjson(items: readonly object[]): string {
  return items.map((item) => `${JSON.stringify(item)}\n`).join('');
}

function csvField(value: Value): string {
  if (typeof value !== 'string') return value === null ? '' : String(value);
  const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
