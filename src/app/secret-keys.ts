import { systemDigest } from '../adapters/system/digest.ts';
import { systemSealer } from '../adapters/system/sealer.ts';
import { secretKeyId } from '../adapters/system/secret-key-id.ts';
import type { Streams } from '../application/streams.ts';
import { SECRET_KEY_RING, type SecretKeyId, type SecretKeyRing } from '../domain/secretkey/secretkey.ts';
import { type SealedVoucherKey, VOUCHER_KEY_RING } from '../domain/voucherkey/voucherkey.ts';
import type { Clock } from '../ports/clock.ts';
import type { Digest } from '../ports/digest.ts';
import type { Ids } from '../ports/ids.ts';
import type { Log } from '../ports/log.ts';
import { OperatorError } from '../ports/operator-error.ts';
import { openedWith, SealBroken, type Sealer } from '../ports/sealer.ts';
import { StoreUnavailable } from '../ports/store-unavailable.ts';
import type { Resealing } from '../processes/reseal-secrets/run.ts';
import { voucherKeyPurpose } from '../vouchers/signing-key.ts';

const DECISION_MS = 10_000;
const DIGEST_KEY_PURPOSE = 'digest key';

/** A secret key that this node knows. Its sealer seals and opens with this key only. */
export type NamedKey = { readonly id: SecretKeyId; readonly bytes: Uint8Array; readonly sealer: Sealer };

export type SecretKeys = {
  readonly digest: Digest;
  readonly sealer: Sealer;
  /** Null unless secrets may still be sealed with the key before the present one. */
  readonly resealing: Resealing | null;
};

/** The keys that a node was given cannot be used with this log. Nothing was written. */
export class SecretKeyRefused extends OperatorError {
  constructor(reason: string) {
    super(`the secret keys cannot be used: ${reason}`);
    this.name = 'SecretKeyRefused';
  }
}

/** What the log says of its secret keys. */
export type StoredKeys = {
  readonly ring: SecretKeyRing;
  /** Sealed with the only key if none was replaced; null before the first start has ended. */
  readonly voucherKey: SealedVoucherKey | null;
};

/** What finding and replacing keys needs. */
export type SecretKeysContext = {
  readonly streams: Pick<Streams, 'secretKeys' | 'voucherKeys'>;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
};

/** @throws StoreUnavailable if the event store does not answer */
export async function readStoredKeys({
  streams,
  clock,
}: Pick<SecretKeysContext, 'streams' | 'clock'>): Promise<StoredKeys> {
  const deadlineMs = clock.nowMs() + DECISION_MS;
  const voucherKeys = await streams.voucherKeys.read(VOUCHER_KEY_RING, deadlineMs);
  if (voucherKeys.kind !== 'state') throw unread(`the voucher keys: ${voucherKeys.kind}`);
  return { ring: await readRing({ streams, clock }), voucherKey: voucherKeys.state.keys[0] ?? null };
}

/** The keys given to this node, and what they mean for this log. */
export type KeyPlan = {
  /** `replace`: the present key is new to the log. */
  readonly kind: 'use' | 'replace';
  /** The key that seals from now on. */
  readonly present: NamedKey;
  /** The key that sealed until now. */
  readonly replaced: NamedKey;
  readonly digestKey: Uint8Array;
  readonly ring: SecretKeyRing;
  readonly secret: NamedKey;
  readonly previous: NamedKey | null;
};

/**
 * Finds the key that seals and the key of the digests (docs/decisions/0089). Writes nothing.
 *
 * @param secret WAYMARK_SECRET_KEY
 * @param previous WAYMARK_SECRET_KEY_PREVIOUS
 * @throws SecretKeyRefused if these are not the keys of this log
 */
export function planKeys(secret: Uint8Array, previous: Uint8Array | null, { ring, voucherKey }: StoredKeys): KeyPlan {
  const given = { ring, secret: named(secret), previous: previous === null ? null : named(previous) };
  if (given.previous?.id === given.secret.id)
    throw new SecretKeyRefused('WAYMARK_SECRET_KEY_PREVIOUS must differ from WAYMARK_SECRET_KEY');
  if (ring.status === 'replaced') return planAfter(given, ring);
  if (voucherKey === null) {
    // A generated history has no voucher key yet, but digests.
    if (previous !== null)
      throw new SecretKeyRefused(
        'the first start on a log needs WAYMARK_SECRET_KEY without WAYMARK_SECRET_KEY_PREVIOUS',
      );
    return { ...given, kind: 'use', present: given.secret, replaced: given.secret, digestKey: secret };
  }
  const sealing = [given.secret, given.previous].find((key) => key !== null && opens(key, voucherKey)) ?? null;
  if (sealing === null) throw new SecretKeyRefused(NEITHER);
  const kind = sealing === given.secret ? 'use' : 'replace';
  return { ...given, kind, present: given.secret, replaced: sealing, digestKey: sealing.bytes };
}

/**
 * Records in the log that a new key replaces the one before it.
 *
 * @throws SecretKeyRefused if another node has replaced it with a different key meanwhile
 * @throws StoreUnavailable if the event store does not answer
 */
export async function adoptKeys(plan: KeyPlan, context: SecretKeysContext): Promise<SecretKeys> {
  const { secret, previous, present, replaced, digestKey } = plan;
  const { log } = context;
  const ring = plan.kind === 'replace' ? await recordReplacement(plan, context) : plan.ring;
  if (plan.kind === 'replace') log.info('secret key replaced', { keyId: present.id, replacedKeyId: replaced.id });
  if (present !== secret) log.warn('secret key is out of date', { keyId: secret.id, presentKeyId: present.id });
  const rotated = ring.status === 'replaced' && previous !== null ? ring : null;
  // Before the next rotation, the previous key is the next one.
  if (previous !== null && rotated?.resealed === true && rotated.replaced.includes(previous.id))
    log.info('previous secret key not needed', { keyId: previous.id });
  const sealer = sealerOf(previous === null ? [secret] : [secret, previous], present, context);
  const resealing = rotated?.resealed === false ? { keyId: present.id, present: present.sealer, sealer } : null;
  return { digest: systemDigest(digestKey), sealer, resealing };
}

async function recordReplacement(
  { present, replaced, digestKey }: KeyPlan,
  { streams, clock, ids }: SecretKeysContext,
): Promise<SecretKeyRing> {
  const at = new Date(clock.nowMs()).toISOString();
  const sealed = await present.sealer.seal(digestKey, DIGEST_KEY_PURPOSE);
  const keys = { keyId: present.id, replacedKeyId: replaced.id, digestKey: sealed };
  const command = { type: 'ReplaceSecretKey', ...keys, at } as const;
  const cause = { correlationId: ids.uuid(), causationId: null, by: 'system', at };
  const reply = await streams.secretKeys.handle(SECRET_KEY_RING, command, cause, clock.nowMs() + DECISION_MS);
  if (reply.kind === 'rejected') throw new SecretKeyRefused('another node has replaced the key meanwhile');
  if (reply.kind !== 'accepted') throw unread(`the secret keys: ${reply.kind}`);
  return reply.state;
}

/** The log names the key that seals. */
function planAfter(
  given: Pick<KeyPlan, 'ring' | 'secret' | 'previous'>,
  { keyId, replaced, digestKey, at, resealed }: Extract<SecretKeyRing, { status: 'replaced' }>,
): KeyPlan {
  const { secret, previous } = given;
  const present = [secret, previous].find((key) => key?.id === keyId) ?? null;
  if (present === null)
    throw new SecretKeyRefused(
      replaced.includes(secret.id)
        ? `WAYMARK_SECRET_KEY was replaced at ${at}; set the new one, with this one as WAYMARK_SECRET_KEY_PREVIOUS`
        : NEITHER,
    );
  const plan = { ...given, replaced: present, digestKey: present.sealer.open(digestKey, DIGEST_KEY_PURPOSE) };
  const isNew = present !== secret && !replaced.includes(secret.id);
  if (isNew && !resealed)
    throw new SecretKeyRefused(
      'WAYMARK_SECRET_KEY_PREVIOUS has itself replaced a key that stored secrets still need; complete that rotation first',
    );
  if (!resealed && [secret, previous].every((key) => key?.id !== replaced.at(-1)))
    throw new SecretKeyRefused(
      'stored secrets are still sealed with the replaced key; set it as WAYMARK_SECRET_KEY_PREVIOUS until the log says "secrets re-sealed"',
    );
  return isNew ? { ...plan, kind: 'replace', present: secret } : { ...plan, kind: 'use', present };
}

const NEITHER =
  'neither WAYMARK_SECRET_KEY nor WAYMARK_SECRET_KEY_PREVIOUS opens what the log holds; take the key from your copy (docs/operations.md#secrets)';

/** Opens with any known key. Seals with the one that the log names, because another node may have replaced the key. */
function sealerOf(
  known: readonly [NamedKey, ...NamedKey[]],
  atStart: NamedKey,
  context: Pick<SecretKeysContext, 'streams' | 'clock'>,
): Sealer {
  const [own] = known;
  return {
    async seal(plain, purpose) {
      const ring = await readRing(context);
      const present = ring.status === 'first' ? atStart : known.find(({ id }) => id === ring.keyId);
      // Unavailable, not broken: another node can answer, and this one after its restart.
      if (present === undefined)
        throw new StoreUnavailable('event store', 'this node does not know the secret key that replaced its own');
      return present.sealer.seal(plain, purpose);
    },
    sealBriefly: (plain, purpose) => own.sealer.sealBriefly(plain, purpose),
    open(sealed, purpose) {
      for (const { sealer } of known) {
        const opened = openedWith(sealer, sealed, purpose);
        if (opened !== null) return opened;
      }
      throw new SealBroken(purpose);
    },
  };
}

function opens({ sealer }: NamedKey, { kid, sealed }: SealedVoucherKey): boolean {
  return openedWith(sealer, sealed, voucherKeyPurpose(kid)) !== null;
}

function named(bytes: Uint8Array): NamedKey {
  // The parser of this boundary: ids of secret keys are made here only.
  return { id: secretKeyId(bytes) as SecretKeyId, bytes, sealer: systemSealer(bytes) };
}

async function readRing({ streams, clock }: Pick<SecretKeysContext, 'streams' | 'clock'>): Promise<SecretKeyRing> {
  const reply = await streams.secretKeys.read(SECRET_KEY_RING, clock.nowMs() + DECISION_MS);
  if (reply.kind !== 'state') throw unread(`the secret keys: ${reply.kind}`);
  return reply.state;
}

function unread(what: string): StoreUnavailable {
  return new StoreUnavailable('event store', `no answer about ${what}`);
}
