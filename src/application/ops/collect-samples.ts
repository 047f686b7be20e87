import type { LocalDate } from '../../domain/activity/activity.ts';
import type { CityName } from '../../domain/activity/cities.ts';
import { evidenceCodec, type VisitEvidence } from '../../domain/learning/evidence.ts';
import { recommendationCodec, type ServedFacts } from '../../domain/recommendation/recommendation.ts';
import { type Position, START, streamId } from '../../eventsourcing/message.ts';
import type { EventStore, StoredEvent } from '../../ports/event-store.ts';
import type { TargetModel } from '../../recommend/evaluation/ranked-by.ts';
import { Samples } from '../../recommend/evaluation/samples.ts';

/** The answers that an evaluation replays. Days are those of UTC, and the span includes both. */
export type Span = { readonly from: LocalDate | null; readonly to: LocalDate | null; readonly city: CityName | null };

export type ReadProgress = {
  readonly events: number;
  readonly answers: number;
  readonly position: Position;
  /** The end of the log at the start. */
  readonly head: Position;
};

export type Collecting = {
  /** More answers are refused. */
  readonly maxAnswers: number;
  readonly store: Pick<EventStore, 'subscribe' | 'head'>;
  readonly signal: AbortSignal;
  /** Called after each part of the log. */
  readonly report: (progress: ReadProgress) => void;
};

/** Events of one part. Requests are answered between two parts. */
const PART = 100;

/**
 * The live answers of the span and the visits that the ranking learns from, one pass over the log: no read model has the
 * candidates of an answer. Null if the span has more than `maxAnswers` answers, or the signal aborts.
 *
 * @throws UnknownEvent for an event of a newer release
 */
export async function collectSamples(
  target: TargetModel,
  span: Span,
  { maxAnswers, store, signal, report }: Collecting,
): Promise<Samples | null> {
  const samples = new Samples(target);
  const head = await store.head();
  const categories = [recommendationCodec.category, evidenceCodec.category];
  const reading = { after: START, categories, maxBatch: PART, reader: 'evaluation', signal };
  let events = 0;
  for await (const batch of store.subscribe(reading)) {
    for (const stored of batch.events) add(stored, samples, span);
    events += batch.events.length;
    if (samples.all.length > maxAnswers) break;
    report({ events, answers: samples.all.length, position: batch.upTo, head });
    if (batch.caughtUp || batch.upTo >= head) break;
    await new Promise(setImmediate);
  }
  return signal.aborted || samples.all.length > maxAnswers ? null : samples;
}

/** Decodes only what an evaluation uses. */
function add(stored: StoredEvent, samples: Samples, span: Span): void {
  if (stored.type.startsWith('RecommendationServed.')) {
    const { data } = recommendationCodec.decode(stored);
    if (isIn(span, data)) samples.answered(streamId(stored.stream), data);
  } else if (/^Visit(Credited|Withdrawn)\./.test(stored.type)) {
    const event = evidenceCodec.decode(stored);
    if (event.type === 'VisitCredited') addVisit(event.data.evidence, 1, samples);
    if (event.type === 'VisitWithdrawn') addVisit(event.data.evidence, -1, samples);
  }
}

function addVisit({ answer, activityId }: VisitEvidence, step: 1 | -1, samples: Samples): void {
  if (answer !== null) samples.visited(answer.logId, activityId, step);
}

function isIn({ from, to, city }: Span, { at, city: answered }: ServedFacts): boolean {
  const day = at.slice(0, 'YYYY-MM-DD'.length);
  return (from === null || day >= from) && (to === null || day <= to) && (city === null || city === answered);
}
