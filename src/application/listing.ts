import type { Activity } from '../domain/activity/activity.ts';
import type { Listing } from '../domain/activity/decider.ts';
import { encodeBase32 } from '../domain/base32.ts';
import type { Digest } from '../ports/digest.ts';

const DIGEST_BYTES = 10;

/** An activity with what tells whether an entry differs from another one of the same id. */
export function listingOf(activity: Activity, digest: Digest): Listing {
  return { activity, digest: encodeBase32(digest.hash(JSON.stringify(activity)), DIGEST_BYTES) };
}
