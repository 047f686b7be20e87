import { type EvidenceEvent, evidenceCodec } from '../../src/domain/learning/evidence.ts';
import { START } from '../../src/eventsourcing/message.ts';
import { categoryOf } from '../../src/ports/event-store.ts';
import type { Service } from './service.ts';

/** Longest wait for evidence that the service appends in the background. */
const APPENDED_MS = 5_000;

/** The events of evidence, oldest first, once there are so many of them. Fewer after APPENDED_MS: then a comparison fails. */
export async function evidenceOf(service: Service, count: number): Promise<readonly EvidenceEvent[]> {
  const events: EvidenceEvent[] = [];
  if (count === 0) return (await service.events()).filter(isEvidence).map((stored) => evidenceCodec.decode(stored));
  const signal = AbortSignal.timeout(APPENDED_MS);
  const feed = service.node.stores.store.subscribe({ after: START, categories: [evidenceCodec.category], signal });
  for await (const batch of feed) {
    events.push(...batch.events.map((stored) => evidenceCodec.decode(stored)));
    if (events.length >= count) break;
  }
  return events;
}

function isEvidence({ stream }: { readonly stream: string }): boolean {
  return categoryOf(stream) === evidenceCodec.category;
}
