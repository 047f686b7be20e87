import type { Streams } from '../../application/streams.ts';
import { type SealedSecrets, sealedSecretsAt, webhookSecretPurpose } from '../../domain/apikey/apikey.ts';
import { apiKeyCodec } from '../../domain/apikey/decider.ts';
import type { KeyId } from '../../domain/ids.ts';
import { SECRET_KEY_RING, type SecretKeyId } from '../../domain/secretkey/secretkey.ts';
import { type SealedVoucherKey, VOUCHER_KEY_RING } from '../../domain/voucherkey/voucherkey.ts';
import { MINUTE_MS } from '../../eventsourcing/durations.ts';
import { type Cause, START, streamId } from '../../eventsourcing/message.ts';
import type { Clock } from '../../ports/clock.ts';
import type { DecodedEventStore } from '../../ports/event-store.ts';
import type { Ids } from '../../ports/ids.ts';
import type { Log } from '../../ports/log.ts';
import { openedWith, type Sealer } from '../../ports/sealer.ts';
import { StoreRefused } from '../../ports/store-refused.ts';
import { StoreUnavailable, type UnavailableCause } from '../../ports/store-unavailable.ts';
import { type Running, runLoop } from '../../runtime/running.ts';
import { voucherKeyPurpose } from '../../vouchers/signing-key.ts';

const DECISION_MS = 10_000;
const RETRY_MS = 10_000;
/** After a pass that met secrets which no known key opens: somebody must repair them. */
const LEFT_RETRY_MS = 5 * MINUTE_MS;
/** Ids in a log line. */
const LOGGED_IDS = 20;
/**
 * After a replacement, another node may still append what it sealed with the replaced key: it read the log before. Its
 * command has ended by then, clocks that differ by 10 s included.
 */
const SETTLED_MS = 30_000;
const NAME = 'secret-resealer';

/** A rotation of the secret key that has not ended. */
export type Resealing = {
  readonly keyId: SecretKeyId;
  /** Of the present key alone. */
  readonly present: Sealer;
  /** Opens with the replaced key too. */
  readonly sealer: Sealer;
};

export type ResealSecretsContext = {
  readonly streams: Pick<Streams, 'apiKeys' | 'secretKeys' | 'voucherKeys'>;
  readonly store: Pick<DecodedEventStore, 'subscribe'>;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
};

/**
 * Re-seals what is sealed with the replaced secret key, then records that nothing needs that key. It has no state: after a
 * stop or a crash it looks at all API keys again, and finds those that are left. A secret that no known key opens, and a key
 * whose stream cannot be read, delay no other one; the rotation does not end before they are repaired.
 */
export function runResealSecrets(resealing: Resealing, context: ResealSecretsContext): Running {
  return runLoop((stopping) => keepResealing(new Resealer(resealing, context), context, stopping));
}

async function keepResealing(
  resealer: Resealer,
  { clock, log }: ResealSecretsContext,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    let againMs = clock.nowMs() + RETRY_MS;
    try {
      const progress = await resealer.pass(signal);
      if (progress.kind === 'ended') return;
      againMs = progress.againMs;
    } catch (fault) {
      if (signal.aborted) return;
      log.error('secrets could not be re-sealed', { retryMs: RETRY_MS, fault });
    }
    await clock.until(againMs, signal);
  }
}

type Left = { readonly of: string; readonly fault: unknown };

type Progress = { readonly kind: 'ended' } | { readonly kind: 'again'; readonly againMs: number };

class Resealer {
  readonly #resealing: Resealing;
  readonly #context: ResealSecretsContext;
  #webhookSecrets = 0;
  #voucherKeys = 0;

  constructor(resealing: Resealing, context: ResealSecretsContext) {
    this.#resealing = resealing;
    this.#context = context;
  }

  /** Re-seals everything once. The rotation ends with a pass that found nothing, once no other node can add something. */
  async pass(signal: AbortSignal): Promise<Progress> {
    const { streams, clock, log } = this.#context;
    const { keyId } = this.#resealing;
    const startMs = clock.nowMs();
    const ring = stateOf(await streams.secretKeys.read(SECRET_KEY_RING, startMs + DECISION_MS));
    if (ring.status === 'first' || ring.keyId !== keyId || ring.resealed) return { kind: 'ended' };
    const before = this.#webhookSecrets + this.#voucherKeys;
    const left = await this.#resealVoucherKeys();
    for (const id of await this.#apiKeys(signal))
      if (!signal.aborted) left.push(...(await leftOf(id, () => this.#resealApiKey(id))));
    if (signal.aborted) return { kind: 'ended' };
    const [first] = left;
    if (first !== undefined) {
      const ids = left.slice(0, LOGGED_IDS).map(({ of }) => of);
      log.error('secrets left', { left: left.length, of: ids, retryMs: LEFT_RETRY_MS, fault: first.fault });
      return { kind: 'again', againMs: startMs + LEFT_RETRY_MS };
    }
    if (this.#webhookSecrets + this.#voucherKeys > before) return { kind: 'again', againMs: startMs };
    const settledMs = Date.parse(ring.at) + SETTLED_MS;
    if (startMs < settledMs) return { kind: 'again', againMs: settledMs };
    const at = new Date(startMs).toISOString();
    const command = { type: 'RecordResealed', keyId, at } as const;
    const reply = await streams.secretKeys.handle(SECRET_KEY_RING, command, this.#cause(at), startMs + DECISION_MS);
    if (reply.kind === 'unavailable') throw new StoreUnavailable('event store', 'no answer of the secret keys');
    log.info('secrets re-sealed', { keyId, webhookSecrets: this.#webhookSecrets, voucherKeys: this.#voucherKeys });
    return { kind: 'ended' };
  }

  async #resealVoucherKeys(): Promise<Left[]> {
    const { streams, clock } = this.#context;
    const { keys } = stateOf(await streams.voucherKeys.read(VOUCHER_KEY_RING, clock.nowMs() + DECISION_MS));
    const left: Left[] = [];
    for (const key of keys) left.push(...(await leftOf(key.kid, () => this.#resealVoucherKey(key))));
    return left;
  }

  async #resealVoucherKey({ kid, sealed: from }: SealedVoucherKey): Promise<void> {
    const { streams, clock } = this.#context;
    const sealed = await this.#resealed(from, voucherKeyPurpose(kid));
    if (sealed === from) return;
    const nowMs = clock.nowMs();
    const at = new Date(nowMs).toISOString();
    const command = { type: 'ResealVoucherKey', kid, from, sealed, at } as const;
    stateOf(await streams.voucherKeys.handle(VOUCHER_KEY_RING, command, this.#cause(at), nowMs + DECISION_MS));
    this.#voucherKeys += 1;
  }

  /** The ids of all API keys, from the log: read models may lag behind it. */
  async #apiKeys(signal: AbortSignal): Promise<ReadonlySet<KeyId>> {
    const ids = new Set<KeyId>();
    const read = new AbortController();
    const stop = (): void => read.abort();
    signal.addEventListener('abort', stop, { once: true });
    const options = { after: START, categories: [apiKeyCodec.category], signal: read.signal };
    try {
      for await (const { events, caughtUp } of this.#context.store.subscribe(options)) {
        // The streams of this category are named after key ids.
        for (const { stream } of events) ids.add(streamId(stream) as KeyId);
        if (caughtUp) break;
      }
    } finally {
      signal.removeEventListener('abort', stop);
      read.abort();
    }
    return ids;
  }

  async #resealApiKey(id: KeyId): Promise<void> {
    const { streams, clock } = this.#context;
    const nowMs = clock.nowMs();
    const key = stateOf(await streams.apiKeys.read(id, nowMs + DECISION_MS));
    if (key.status === 'none') return;
    const from = sealedSecretsAt(key, nowMs);
    const purpose = webhookSecretPurpose(id);
    const to: SealedSecrets = {
      webhookSecret: await this.#resealed(from.webhookSecret, purpose),
      replaced: from.replaced === null ? null : await this.#resealed(from.replaced, purpose),
    };
    if (to.webhookSecret === from.webhookSecret && to.replaced === from.replaced) return;
    const at = new Date(nowMs).toISOString();
    const command = { type: 'ResealWebhookSecret', from, to, at } as const;
    stateOf(await streams.apiKeys.handle(id, command, this.#cause(at), nowMs + DECISION_MS));
    this.#webhookSecrets += 1;
  }

  /** The same text if the present key opens it. @throws SealBroken if no known key does */
  async #resealed(sealed: string, purpose: string): Promise<string> {
    const { present, sealer } = this.#resealing;
    if (openedWith(present, sealed, purpose) !== null) return sealed;
    return present.seal(sealer.open(sealed, purpose), purpose);
  }

  #cause(at: string): Cause {
    return { correlationId: this.#context.ids.uuid(), causationId: null, by: NAME, at };
  }
}

/** @throws StoreUnavailable */
async function leftOf(of: string, reseal: () => Promise<void>): Promise<readonly Left[]> {
  try {
    await reseal();
    return [];
  } catch (fault) {
    if (fault instanceof StoreUnavailable || fault instanceof StoreRefused) throw fault;
    return [{ of, fault }];
  }
}

/** @throws StoreUnavailable if the stream did not answer; the fault with which it cannot be read */
function stateOf<State>(reply: {
  readonly kind: string;
  readonly state?: State;
  readonly cause?: UnavailableCause;
}): State {
  if (reply.cause?.fault instanceof Error) throw reply.cause.fault;
  if (reply.state === undefined)
    throw new StoreUnavailable('event store', `a stream with secrets did not answer: ${reply.kind}`);
  return reply.state;
}
