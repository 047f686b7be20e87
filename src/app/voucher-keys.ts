import type { Streams } from '../application/streams.ts';
import { VOUCHER_KEY_RING } from '../domain/voucherkey/voucherkey.ts';
import type { Clock } from '../ports/clock.ts';
import type { Ids } from '../ports/ids.ts';
import type { Sealer } from '../ports/sealer.ts';
import { createSigningKey, openKey, type SigningKey, sealKey } from '../vouchers/signing-key.ts';

const DECISION_MS = 10_000;

/** The signing keys of vouchers, from their stream. Creates the first if there is none; the newest one signs. */
export async function openSigningKeys(
  sealer: Sealer,
  { streams, clock, ids }: { readonly streams: Streams; readonly clock: Clock; readonly ids: Ids },
): Promise<{ readonly current: SigningKey; readonly all: readonly SigningKey[] }> {
  const at = new Date(clock.nowMs()).toISOString();
  const command = { type: 'CreateFirstKey', key: await sealKey(createSigningKey(), sealer), at } as const;
  const cause = { correlationId: ids.uuid(), causationId: null, by: 'system', at };
  const reply = await streams.voucherKeys.handle(VOUCHER_KEY_RING, command, cause, clock.nowMs() + DECISION_MS);
  if (reply.kind !== 'accepted') throw new Error(`the voucher keys could not be read: ${reply.kind}`);
  const all = reply.state.keys.map((sealed) => openKey(sealed, sealer));
  const current = all.at(-1);
  if (current === undefined) throw new Error('the ring of voucher keys is empty');
  return { current, all };
}
