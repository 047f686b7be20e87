import { Database } from 'bun:sqlite';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** A place in which a secret could stand, with all that stands in it. */
export type Place = { readonly name: string; readonly bytes: Buffer };

/** A secret in every form in which it could be written down. */
export type Sought = { readonly what: string; readonly forms: readonly Buffer[] };

/** @param secret its bytes, or the text that it is; of a text of hexadecimal digits, the bytes that these are, too */
export function sought(what: string, secret: string | Uint8Array): Sought {
  const text = typeof secret === 'string' ? [Buffer.from(secret)] : [];
  const isHex = typeof secret === 'string' && /^([0-9a-f]{2}){16,}$/.test(secret);
  const raw = typeof secret === 'string' ? (isHex ? [Buffer.from(secret, 'hex')] : []) : [Buffer.from(secret)];
  return { what, forms: [...text, ...raw].flatMap(writtenAs) };
}

/** The names of the places that hold a secret. */
export function holding({ forms }: Sought, places: readonly Place[]): string[] {
  return places.filter(({ bytes }) => forms.some((form) => bytes.includes(form))).map(({ name }) => name);
}

/** Every file in a directory and below it: its bytes, and its mode in octal digits. */
export function filesIn(directory: string): readonly (Place & { readonly mode: string })[] {
  return readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .filter((name) => statSync(join(directory, name)).isFile())
    .map((name) => ({ name, bytes: readFileSync(join(directory, name)), mode: modeOf(join(directory, name)) }));
}

/** The directory and those in it, with their modes. */
export function directoriesIn(directory: string): readonly (readonly [name: string, mode: string])[] {
  const below = readdirSync(directory, { recursive: true, encoding: 'utf8' });
  return ['.', ...below]
    .filter((name) => statSync(join(directory, name)).isDirectory())
    .map((name) => [name, modeOf(join(directory, name))] as const);
}

/** Every row of a database: in the file itself a long value may lie in pieces. */
export function rowsOf(path: string): Place[] {
  using database = new Database(path, { readonly: true });
  const tables = database.query<{ name: string }, []>("SELECT name FROM sqlite_master WHERE type = 'table'").all();
  return tables.map(({ name }) => {
    const rows = database.query<Record<string, unknown>, []>(`SELECT * FROM "${name}"`).values();
    const values = rows
      .flat()
      .map((value) => (value instanceof Uint8Array ? Buffer.from(value) : Buffer.from(`${value}`)));
    return { name: `${path.split('/').at(-1)}: ${name}`, bytes: Buffer.concat(values.flatMap((each) => [each, LINE])) };
  });
}

const LINE = Buffer.from('\n');

function modeOf(path: string): string {
  return (statSync(path).mode & 0o777).toString(8);
}

/** In base64 without the end, where what stands behind it shows through. */
function writtenAs(bytes: Buffer): Buffer[] {
  const base64 = bytes.toString('base64').replace(/.=*$/, '');
  const hex = bytes.toString('hex');
  const texts = [hex, hex.toUpperCase(), base64, base64.replaceAll('+', '-').replaceAll('/', '_')];
  return [bytes, ...texts.map((text) => Buffer.from(text))];
}
