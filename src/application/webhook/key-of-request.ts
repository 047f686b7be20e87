import type { KeyId } from '../../domain/ids.ts';
import type { KnownKey } from '../key/authenticate.ts';
import { type Refused, refused } from '../refusal.ts';
import type { SignedIn } from '../session/session-caller.ts';

/** A key as the owner of webhook receivers. */
export type WebhookKey = Pick<KnownKey, 'keyId' | 'webhookUrl' | 'webhookEvents'>;

export type WebhookKeys = { get(keyId: string): WebhookKey | undefined };

/** The key whose receiver a request is about: the caller's own, or the one that an operator names. */
export function keyOfRequest(
  caller: SignedIn,
  named: string | undefined,
  keys: WebhookKeys,
): { readonly kind: 'key'; readonly key: WebhookKey } | Refused {
  if (caller.kind === 'key') return named === undefined ? caller : ownKeyOnly();
  if (named === undefined)
    return refused('INVALID_REQUEST', 'key is missing; send the id of the API key whose receiver this is about.');
  const key = keys.get(named);
  return key === undefined ? refused('NOT_FOUND', `There is no API key with the id "${named}".`) : { kind: 'key', key };
}

/** The key whose deliveries or receivers a list has: the caller's own, or the one that an operator names; null: of all keys. */
export function keyOfList(
  caller: SignedIn,
  named: string | undefined,
): { readonly kind: 'listed'; readonly keyId: KeyId | null } | Refused {
  if (caller.kind === 'operator') return { kind: 'listed', keyId: (named ?? null) as KeyId | null };
  return named === undefined ? { kind: 'listed', keyId: caller.key.keyId } : ownKeyOnly();
}

function ownKeyOnly(): Refused {
  return refused(
    'INVALID_REQUEST',
    'key is a field of operators: an API key sees its own receivers only; leave it out.',
  );
}
