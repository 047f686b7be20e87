import { JsonField } from './json-field.ts';
import { type Path, pathText, readJson } from './json-lines.ts';

/**
 * A fault in a file. `line` and `column` count from 1; `field` is a path such as `activities[3].opening.mon.close`. The
 * message says what is wrong, and what to do.
 */
export type FileFault = {
  readonly file: string;
  readonly line: number;
  /** Null if the fault concerns the whole file. */
  readonly column: number | null;
  readonly field: string;
  readonly message: string;
};

/** The value of a file, or all faults in the order of their lines. */
export type FileReading<T> =
  | { readonly kind: 'valid'; readonly value: T }
  | { readonly kind: 'faults'; readonly faults: readonly FileFault[] };

/** Reads a JSON text. `file` is used in faults only. */
export function readFile<T>(file: string, text: string, read: (root: JsonField) => T): FileReading<T> {
  const faults: FileFault[] = [];
  const json = readJson(text);
  if (json.kind === 'malformed') {
    return {
      kind: 'faults',
      faults: [{ file, line: json.line, column: json.column, field: '', message: json.message }],
    };
  }
  const report = (path: Path, message: string): void => {
    faults.push({ file, ...json.placeOf(path), field: pathText(path), message });
  };
  for (const path of json.repeated) report(path, 'appears twice in its object; keep one');
  const value = read(new JsonField(json.value, [], report));
  if (faults.length === 0) return { kind: 'valid', value };
  return { kind: 'faults', faults: faults.toSorted((a, b) => a.line - b.line) };
}

/** One line per fault: `bangkok.json:12 activities[0].price: must be …`. */
export function describeFaults(faults: readonly FileFault[]): string {
  return faults
    .map(({ file, line, field, message }) => `${file}:${line} ${field === '' ? '' : `${field}: `}${message}`)
    .join('\n');
}
