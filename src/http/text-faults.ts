import { forbiddenCharacterIn } from '../domain/forbidden-character.ts';

/**
 * A text of a body that must not be stored: the path of its member, such as `texts.en.title`, and the sentence of the
 * refusal.
 */
export type TextFault = { readonly at: string; readonly sentence: string };

/** Every text of a body with a character that no stored text may contain. Names of members are texts too. */
export function forbiddenTexts(body: unknown): readonly TextFault[] {
  return textFaults(body, (text) => {
    const found = forbiddenCharacterIn(text);
    return found === null ? null : `contains ${found.name}; ${found.advice}.`;
  });
}

/** Every text of a body that was decoded from bytes which are not UTF-8. */
export function undecodedTexts(body: unknown): readonly TextFault[] {
  return textFaults(body, (text) => (text.includes('\ufffd') ? 'is not UTF-8; encode it as UTF-8.' : null));
}

type FaultOf = (text: string) => string | null;

function textFaults(body: unknown, faultOf: FaultOf): readonly TextFault[] {
  const faults: TextFault[] = [];
  addFaults(body, '', faultOf, faults);
  return faults;
}

function addFaults(value: unknown, path: string, faultOf: FaultOf, faults: TextFault[]): void {
  if (typeof value === 'string') {
    const fault = faultOf(value);
    if (fault !== null) faults.push({ at: path, sentence: `${path === '' ? 'The body' : path} ${fault}` });
    return;
  }
  if (typeof value !== 'object' || value === null) return;
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) addFaults(item, `${path}[${index}]`, faultOf, faults);
    return;
  }
  for (const [name, member] of Object.entries(value)) {
    const fault = faultOf(name);
    if (fault !== null)
      faults.push({ at: path, sentence: `${path === '' ? 'The body' : path} has a name that ${fault}` });
    else addFaults(member, path === '' ? name : `${path}.${name}`, faultOf, faults);
  }
}
