import type { LocalDate } from '../domain/activity/activity.ts';
import { parseLocalDate } from '../domain/activity/schedule.ts';
import { type Path, pathText } from './json-lines.ts';

/** Takes note of a fault. The message follows the field's name: what is wrong, and what to do. */
export type Report = (path: Path, message: string) => void;

const LONGEST_SHOWN = 60;

/**
 * A value of a JSON file, with its place. Reading a wrong one reports it, once, and goes on with a stand-in of the right
 * type; so one reading finds every fault, and what was read is worth something only where nothing was reported.
 */
export class JsonField {
  readonly #value: unknown;
  readonly #path: Path;
  readonly #report: Report;
  #sound: boolean;

  /** `sound: false` keeps a field silent: what is inside of something that was reported already. */
  constructor(value: unknown, path: Path, report: Report, sound = true) {
    this.#value = value;
    this.#path = path;
    this.#report = report;
    this.#sound = sound;
  }

  /** True while nothing was reported of this field itself or of what it is in. */
  get sound(): boolean {
    return this.#sound;
  }

  /** False for an optional field that was left out. */
  get given(): boolean {
    return this.#value !== undefined;
  }

  get isNull(): boolean {
    return this.#value === null;
  }

  /** Its path, as people write it. */
  get place(): string {
    return pathText(this.#path);
  }

  /** Reports the field, the first time. */
  fault(message: string): void {
    if (this.#sound) this.#report(this.#path, message);
    this.#sound = false;
  }

  /** The fields of an object: all of `names` but the `optional` ones must be there, and no others may be. */
  members<Name extends string>(
    names: readonly Name[],
    optional: readonly Name[] = [],
  ): Readonly<Record<Name, JsonField>> {
    const object = isObject(this.#value) ? this.#value : {};
    if (!isObject(this.#value)) this.fault(`must be an object with ${names.join(', ')}, not ${this.#shown()}`);
    for (const name of Object.keys(object).filter((candidate) => !names.some((known) => known === candidate))) {
      this.#inside(name, object[name]).fault(`is unknown; the fields here are ${names.join(', ')}`);
    }
    const fields: Partial<Record<Name, JsonField>> = {};
    for (const name of names) {
      const field = this.#inside(name, object[name]);
      if (!field.given && !optional.includes(name)) field.fault('is missing; add it');
      fields[name] = field;
    }
    return fields as Record<Name, JsonField>;
  }

  list(): JsonField[] {
    if (Array.isArray(this.#value)) return this.#value.map((element: unknown, index) => this.#inside(index, element));
    this.fault(`must be a list [ … ], not ${this.#shown()}`);
    return [];
  }

  /** A text of so many characters (Unicode code points), without space around it. */
  text(least: number, most: number): string {
    if (typeof this.#value !== 'string') {
      this.fault(`must be a text in double quotes, not ${this.#shown()}`);
      return '';
    }
    const length = codePoints(this.#value);
    if (this.#value !== this.#value.trim()) this.fault('must not begin or end with space; take it out');
    if (length < least || length > most) this.fault(`must have ${least} to ${most} characters; it has ${length}`);
    return this.#value;
  }

  /** A text of a form that `form` says in words. */
  textLike(accepts: (text: string) => boolean, form: string): string {
    const text = typeof this.#value === 'string' ? this.#value : '';
    if (!accepts(text)) this.fault(`must be ${form}, not ${this.#shown()}`);
    return text;
  }

  /** A number between two, both allowed. `kind` says what it is a number of. */
  number(least: number, most: number, kind = 'a number'): number {
    if (typeof this.#value === 'number' && this.#value >= least && this.#value <= most) return this.#value;
    this.fault(`must be ${kind} from ${least} to ${most}, not ${this.#shown()}`);
    return least;
  }

  whole(least: number, most: number): number {
    const number = this.number(least, most, 'a whole number');
    if (!Number.isInteger(number)) this.fault(`must be a whole number, not ${number}`);
    return number;
  }

  oneOf<Option extends string>(options: readonly [Option, ...Option[]]): Option {
    const option = options.find((candidate) => candidate === this.#value);
    if (option === undefined) this.fault(`must be one of ${options.join(', ')}, not ${this.#shown()}`);
    return option ?? options[0];
  }

  /** One or more of the options, each at most once. */
  someOf<Option extends string>(options: readonly [Option, ...Option[]]): Option[] {
    const elements = this.list();
    const chosen: Option[] = [];
    for (const element of elements) {
      const option = element.oneOf(options);
      if (chosen.includes(option)) element.fault('is in the list already; take it out');
      if (element.sound) chosen.push(option);
    }
    if (elements.length === 0) this.fault(`must name at least one of ${options.join(', ')}`);
    return chosen;
  }

  #inside(step: string | number, value: unknown): JsonField {
    return new JsonField(value, [...this.#path, step], this.#report, this.#sound);
  }

  #shown(): string {
    const text = JSON.stringify(this.#value) ?? 'nothing';
    return text.length > LONGEST_SHOWN ? `${text.slice(0, LONGEST_SHOWN)}…` : text;
  }
}

/** An object with these fields and no others, each read in the same way. */
export function readEach<Name extends string, T>(
  names: readonly Name[],
  field: JsonField,
  read: (field: JsonField, name: Name) => T,
): Record<Name, T> {
  const given = field.members(names);
  return Object.fromEntries(names.map((name) => [name, read(given[name], name)])) as Record<Name, T>;
}

export function readDate(field: JsonField): LocalDate {
  const isDate = (text: string): boolean => parseLocalDate(text) !== null;
  return field.textLike(isDate, 'a day of the calendar, "YYYY-MM-DD"') as LocalDate;
}

/** Without a copy of the text: a catalogue has tens of thousands of them. */
function codePoints(text: string): number {
  return text.length - (text.match(/[\uD800-\uDBFF][\uDC00-\uDFFF]/g)?.length ?? 0);
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
