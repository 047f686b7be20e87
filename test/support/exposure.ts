import { type Credentials, type Service, withKey } from './service.ts';
import { refused } from './service-answers.ts';

/** A new key of a plan. */
export async function keyOf(
  service: Service,
  plan: 'free' | 'basic' | 'premium' | 'enterprise',
  settings: object = {},
): Promise<Credentials & { readonly id: string }> {
  const { key, id } = await service.createKey({ plan, ...settings });
  return { ...withKey(key), id };
}

/** A refusal by an exposure limit. */
export function overLimit(message: string, details: string) {
  return refused(409, 'EXPOSURE_LIMIT', message, { details, resolution: 'choose_other' });
}

/** The codes of answers, with `ok` for a success. */
export function codesOf(answers: readonly { readonly status: number; readonly refusal: { readonly code: string } }[]) {
  return answers.map((answer) => (answer.status === 200 ? 'ok' : answer.refusal.code));
}
