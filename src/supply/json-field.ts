import type { LocalDate } from '../domain/activity/activity.ts';
import { parseLocalDate } from '../domain/activity/schedule.ts';
import { forbiddenCharacterIn } from '../domain/forbidden-character.ts';
import { type Path, pathText } from './json-lines.ts';

/** Records a fault. The message follows the field's path: what is wrong, and what to do. */
export type Report = (path: Path, message: string) => void;

const LONGEST_SHOWN = 60;

/**
 * A value of a JSON file, with its path. A `read` of an invalid value reports one fault and returns a substitute of the
 * right type, so that one pass finds every fault. Use the values only if no fault was reported.
 */
export class JsonField {
  readonly #value: unknown;
  readonly #path: Path;
  readonly #report: Report;
  #valid: boolean;

  /** `valid: false` suppresses further faults, inside a value that was already reported. */
  constructor(value: unknown, path: Path, report: Report, valid = true) {
    this.#value = value;
    this.#path = path;
    this.#report = report;
    this.#valid = valid;
  }

  /** True while no fault was reported for this field or for a value that contains it. */
  get valid(): boolean {
    return this.#valid;
  }

  /** False for a missing optional field. */
  get given(): boolean {
    return this.#value !== undefined;
  }

  get isNull(): boolean {
    return this.#value === null;
  }

  /** As `pathText`. */
  get path(): string {
    return pathText(this.#path);
  }

  /** Reports a fault, unless the field has one already. */
  fault(message: string): void {
    if (this.#valid) this.#report(this.#path, message);
    this.#valid = false;
  }

  /** The fields of an object. All `names` are required except the `optional` ones; other fields are faults. */
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

  /** A text without surrounding white space and forbidden characters. Bounds, both inclusive, count Unicode code points. */
  text(min: number, max: number): string {
    if (typeof this.#value !== 'string') {
      this.fault(`must be a text in double quotes, not ${this.#shown()}`);
      return '';
    }
    const forbidden = forbiddenCharacterIn(this.#value);
    if (forbidden !== null) this.fault(`contains ${forbidden.name}; ${forbidden.advice}`);
    const length = codePoints(this.#value);
    if (this.#value !== this.#value.trim()) this.fault('must not begin or end with space; remove it');
    if (length < min || length > max) this.fault(`must have ${min} to ${max} characters; it has ${length}`);
    return this.#value;
  }

  /** A text that `accepts` accepts. `form` describes it in the fault. */
  textLike(accepts: (text: string) => boolean, form: string): string {
    const text = typeof this.#value === 'string' ? this.#value : '';
    if (!accepts(text)) this.fault(`must be ${form}, not ${this.#shown()}`);
    return text;
  }

  /** A number; bounds are inclusive. `kind` describes it in the fault. */
  number(min: number, max: number, kind = 'a number'): number {
    if (typeof this.#value === 'number' && this.#value >= min && this.#value <= max) return this.#value;
    this.fault(`must be ${kind} from ${min} to ${max}, not ${this.#shown()}`);
    return min;
  }

  boolean(): boolean {
    if (typeof this.#value !== 'boolean') this.fault(`must be true or false, not ${this.#shown()}`);
    return this.#value === true;
  }

  integer(min: number, max: number): number {
    const number = this.number(min, max, 'a whole number');
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
      if (chosen.includes(option)) element.fault('is already in the list; remove it');
      if (element.valid) chosen.push(option);
    }
    if (elements.length === 0) this.fault(`must name at least one of ${options.join(', ')}`);
    return chosen;
  }

  #inside(step: string | number, value: unknown): JsonField {
    return new JsonField(value, [...this.#path, step], this.#report, this.#valid);
  }

  #shown(): string {
    const text = JSON.stringify(this.#value) ?? 'nothing';
    return text.length > LONGEST_SHOWN ? `${text.slice(0, LONGEST_SHOWN)}…` : text;
  }
}

/** An object with exactly these fields, each read by `read`. */
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
  return field.textLike(isDate, 'a calendar date, "YYYY-MM-DD"') as LocalDate;
}

/** Does not copy the text, because a catalogue has tens of thousands of them. */
function codePoints(text: string): number {
  return text.length - (text.match(/[\uD800-\uDBFF][\uDC00-\uDFFF]/g)?.length ?? 0);
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
