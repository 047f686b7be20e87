/**
 * Converts JSON for MongoDB and back. Field names are percent-encoded if needed: names that begin with `$`, contain
 * a dot or are empty have a meaning in MongoDB or are refused by compatible servers; BSON names cannot contain U+0000;
 * the driver treats an object with `_bsontype` as its own; FerretDB moves `_id` to the front. An array directly within
 * an array, which not every server stores, becomes an object with a reserved name. Everything else is unchanged, for
 * other tools to read.
 */
type Storable = null | boolean | number | string | readonly Storable[] | { readonly [name: string]: Storable };

const EMPTY_NAME = '%';
const NESTED_ARRAY = '%[]';
const ODD_NAME = /^$|^\$|[%.\0]|^_(?:bsontype|id)$/;

/** @throws TypeError if the value is not JSON */
export function storable(doc: object): { readonly [name: string]: Storable } {
  const entries = Object.entries(doc).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries.map(([name, value]) => [storableName(name), storableValue(value)]));
}

export function storableName(name: string): string {
  if (!ODD_NAME.test(name)) return name;
  if (name === '') return EMPTY_NAME;
  return name.replace(/^\$|[%.\0]|^_(?=(?:bsontype|id)$)/g, (character) => `%${hexOf(character)}`);
}

/** The inverse of `storable`. */
export function restored(stored: object): object {
  return Object.fromEntries(Object.entries(stored).map(([name, value]) => [restoredName(name), restoredValue(value)]));
}

function storableValue(value: unknown): Storable {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return value;
    case 'number':
      if (Number.isFinite(value)) return value;
      break;
    case 'object':
      if (value === null) return null;
      return Array.isArray(value) ? value.map(storableElement) : storable(value);
    default:
  }
  throw new TypeError(`a document holds a ${typeof value} that is no JSON: ${String(value)}`);
}

function storableElement(value: unknown): Storable {
  const element = storableValue(value);
  return Array.isArray(element) ? { [NESTED_ARRAY]: element } : element;
}

function restoredValue(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (!Array.isArray(value)) return restored(value);
  return value.map((element: unknown) => restoredValue(isNested(element) ? element[NESTED_ARRAY] : element));
}

function isNested(element: unknown): element is { readonly [NESTED_ARRAY]: unknown } {
  return typeof element === 'object' && element !== null && NESTED_ARRAY in element;
}

function restoredName(name: string): string {
  if (!name.includes('%')) return name;
  if (name === EMPTY_NAME) return '';
  return name.replace(/%([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}

function hexOf(character: string): string {
  return character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0');
}
