import type { Activity } from '../../domain/activity/activity.ts';
import type { ListedActivity } from '../../domain/activity/decider.ts';
import { encodeBase32 } from '../../domain/base32.ts';
import type { Digest } from '../../ports/digest.ts';

const DIGEST_BYTES = 10;

/** An activity and the hash of its content. */
export function listingOf(activity: Activity, digest: Digest): ListedActivity {
  return { activity, digest: encodeBase32(digest.hash(JSON.stringify(activity)), DIGEST_BYTES) };
}
