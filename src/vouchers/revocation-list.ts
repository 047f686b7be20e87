import { createHash } from 'node:crypto';
import type { LocalDate, VenueId } from '../domain/activity/activity.ts';
import { encodeBase32 } from '../domain/base32.ts';
import type { SigningKey } from './signing-key.ts';
import { signText } from './token.ts';

export type Revocation = {
  /** The voucher's code. The list contains only its hash: the code of a changed booking is still a secret. */
  readonly code: string;
  /** Tokens of earlier revisions are revoked; null: all tokens of the code. */
  readonly from: number | null;
};

const HASH_BYTES = 16;

/**
 * A venue's revoked vouchers of a date, which a gate verifies as it does a token:
 * `WR1.<kid>.<venue>.<YYYYMMDD>.<issued at: seconds since the epoch, base36>.<entries>.<signature>`. An entry is
 * `<hash>-<revision>` or `<hash>-X`, the entries are separated by `+`, and an empty list is `-`. The hash is the first 16
 * bytes of the SHA-256 of the code, in base32.
 */
export function signRevocationList(
  list: {
    readonly venueId: VenueId;
    readonly date: LocalDate;
    readonly issuedAtMs: number;
    readonly revocations: readonly Revocation[];
  },
  key: SigningKey,
): string {
  const entries = list.revocations.map(({ code, from }) => `${hashOfCode(code)}-${from ?? 'X'}`);
  const text = [
    `WR1.${key.kid}`,
    list.venueId.toUpperCase(),
    list.date.replaceAll('-', ''),
    Math.floor(list.issuedAtMs / 1000)
      .toString(36)
      .toUpperCase(),
    entries.length === 0 ? '-' : entries.join('+'),
  ];
  return signText(text.join('.'), key);
}

/** The first 16 bytes of the SHA-256 of a voucher's code, in base32. */
export function hashOfCode(code: string): string {
  return encodeBase32(createHash('sha256').update(code).digest(), HASH_BYTES);
}
