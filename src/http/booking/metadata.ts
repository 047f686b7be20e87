import { Type } from 'typebox';
import { Compile } from 'typebox/compile';
import { type Fault, optional, understood } from '../schema.ts';
import { excerpt, isObject } from '../schema-fields.ts';

/** In answers. */
export const METADATA = Type.Record(Type.String(), Type.String(), { $id: 'Metadata', description: 'As you sent it.' });

const MAX_MEMBERS = 20;
const NAME = Type.String({ pattern: '^[A-Za-z0-9][A-Za-z0-9_.-]{0,39}$' });
const NAME_RULE = '1 to 40 characters: letters A-Z and a-z, digits, _ . or -; the first one a letter or digit';
const TEXT = Type.String({ maxLength: 200 });
const TEXT_RULE = 'a text of at most 200 characters in one line';

/** The caller's own texts by name. No other spelling is understood; the fault names the bad member. */
export const metadata = understood(
  optional(
    Type.Record(Type.String(), TEXT, { maxProperties: MAX_MEMBERS, propertyNames: NAME }),
    `an object of at most ${MAX_MEMBERS} texts`,
  ),
  () => undefined,
  faultOfMetadata,
);

const [isName, isText] = [Compile(NAME), Compile(TEXT)];

/** Null for a value that is not an object. */
function faultOfMetadata(value: unknown): Fault | null {
  if (!isObject(value)) return null;
  const invalid = (sentence: string): Fault => ({ code: 'INVALID_REQUEST', sentence });
  const members = Object.entries(value);
  if (members.length > MAX_MEMBERS)
    return invalid(`metadata must have at most ${MAX_MEMBERS} members; it had ${members.length}.`);
  for (const [name, text] of members) {
    if (!isName.Check(name)) return invalid(`metadata must have names of ${NAME_RULE}; one was ${excerpt(name)}.`);
    if (!isText.Check(text)) return invalid(`metadata.${name} must be ${TEXT_RULE}; it was ${excerpt(text)}.`);
  }
  return null;
}
