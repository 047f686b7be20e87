import type { Upcaster } from '../../eventsourcing/codec.ts';

/** Version 1 named only the context log. */
export function logIdToAttribution({ contextLogId, ...facts }: Parameters<Upcaster>[0]): ReturnType<Upcaster> {
  return { ...facts, attribution: contextLogId === null ? null : { logId: contextLogId, rank: null, segment: null } };
}

/** Version 2 had no opening hours, and was always the first event. */
export function hoursUnknown(facts: Parameters<Upcaster>[0]): ReturnType<Upcaster> {
  return { ...facts, hours: null, follows: null };
}

/** Version 1 did not change the venue's time to answer. */
export function answerTimeKept(facts: Parameters<Upcaster>[0]): ReturnType<Upcaster> {
  return { ...facts, answerByMs: null };
}

/** In earlier versions only the booking's first event named the key. */
export function keyUnknown(facts: Parameters<Upcaster>[0]): ReturnType<Upcaster> {
  return { ...facts, keyId: null };
}

/** In earlier versions the record of the delivery said what the public event refers to. */
export function publicFactsUnknown(facts: Parameters<Upcaster>[0]): ReturnType<Upcaster> {
  return facts;
}

/** Version 4 did not record when the venue confirmed. */
export function confirmationTimeUnknown(facts: Parameters<Upcaster>[0]): ReturnType<Upcaster> {
  return facts;
}

/** Earlier versions had one price for all guests, and retained nothing. */
export function onePrice(facts: Parameters<Upcaster>[0]): ReturnType<Upcaster> {
  return facts;
}

/** Version 2 did not record to whom a voucher was mailed. */
export function recipientUnknown(facts: Parameters<Upcaster>[0]): ReturnType<Upcaster> {
  return { ...facts, recipient: null };
}

/** Version 4 recorded neither the report of a scan nor whether the visit is disputed. */
export function reportUnknown(facts: Parameters<Upcaster>[0]): ReturnType<Upcaster> {
  return { ...facts, reportedAtMs: null, uploadedSequence: null, disputed: false };
}

/** Version 5 did not record when the activity opened. */
export function openingUnknown(facts: Parameters<Upcaster>[0]): ReturnType<Upcaster> {
  return { ...facts, opensAtMs: null };
}
