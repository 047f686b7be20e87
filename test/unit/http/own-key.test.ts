import { describe, expect, test } from 'bun:test';
import { CHANGE_OWN_KEY_DETAIL, changeOwnBody } from '../../../src/http/key/own-schema.ts';
import { changedSettings, newSettings } from '../../../src/http/key/settings.ts';
import { RefusedEarly } from '../../../src/http/refused-early.ts';

const OWN = ['name', 'webhook_url', 'webhook_events', 'contact_email'];
const SETTINGS = Object.keys({ ...newSettings(true), ...changedSettings(true) });

/** The error for a body with this member; null if it is accepted. */
function errorFor(member: string): string | null {
  try {
    changeOwnBody(true).read({ [member]: null });
    return null;
  } catch (fault) {
    if (fault instanceof RefusedEarly) return fault.refused.refusal.error;
    throw fault;
  }
}

describe('the holder of a key', () => {
  test.each(OWN)('may change %s', (name) => {
    expect(SETTINGS).toContain(name);
    expect(errorFor(name)).toBeNull();
  });

  const refusedNames = [...SETTINGS, 'active'].filter((name) => !OWN.includes(name));

  test.each(refusedNames)('may not change %s', (name) => {
    expect(errorFor(name)).toBe(`${name} must be left out: ask the operator for such a change.`);
  });

  test('reads in the reference which settings only the operator changes', () => {
    const listed = refusedNames.map((name) => `\`${name}\``).join(', ');
    expect(CHANGE_OWN_KEY_DETAIL.description).toContain(`(${listed})`);
  });
});
