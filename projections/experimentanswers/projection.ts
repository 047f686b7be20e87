import type { BookingEvent } from '../../src/domain/booking/events.ts';
import type { Attribution } from '../../src/domain/booking/facts.ts';
import type { ArmRef } from '../../src/domain/experiment/experiment.ts';
import type { RecommendationEvent } from '../../src/domain/recommendation/recommendation.ts';
import type { Recorded } from '../../src/eventsourcing/message.ts';
import type { Projection } from '../../src/eventsourcing/projection.ts';
import type { AnswersOfArm, BookedAnswer, ExperimentAnswers } from './read-model.ts';

/**
 * What an experiment's answers led to: one document per arm, `{experiment}/{arm}`, and one per answer that was booked,
 * `{experiment}/{arm}/{log}`, so that an answer counts once, whatever the number of its bookings.
 */
export const experimentAnswersProjection: Projection<ExperimentAnswers, BookingEvent | RecommendationEvent> = {
  name: 'experimentanswers',
  version: 1,
  categories: ['booking', 'recommendation'],
  indexes: [['experimentId']],
  idsOf(event) {
    if (event.type === 'RecommendationServed') {
      const { experiment } = event.data;
      return experiment === undefined ? [] : [idOfArm(experiment)];
    }
    const attribution = attributionOf(event);
    return attribution?.experiment === undefined ? [] : [`${idOfArm(attribution.experiment)}/${attribution.logId}`];
  },
  evolve(doc, event) {
    if (event.type === 'RecommendationServed') return answered(doc, event.data.experiment);
    return booked(doc, event, attributionOf(event)?.experiment);
  },
};

/** The id of an arm's document. */
export function idOfArm({ id, arm }: ArmRef): string {
  return `${id}/${arm}`;
}

/** Of an event that counts; a disputed visit does not. */
function attributionOf(event: Recorded<BookingEvent>): Attribution | null {
  switch (event.type) {
    case 'BookingStarted':
    case 'BookingPlacedOnRequest':
    case 'BookingConfirmed':
      return event.data.attribution;
    case 'VisitVerified':
      return event.data.disputed ? null : event.data.attribution;
    case 'VisitVoided':
      return event.data.visit.disputed ? null : event.data.visit.attribution;
    default:
      return null;
  }
}

function answered(doc: ExperimentAnswers | null, arm: ArmRef | undefined): AnswersOfArm {
  if (arm === undefined || doc?.kind === 'answer') throw new Error('the document is not that of an arm');
  return doc === null
    ? { kind: 'arm', experimentId: arm.id, arm: arm.arm, answers: 1 }
    : { ...doc, answers: doc.answers + 1 };
}

function booked(doc: ExperimentAnswers | null, { type }: BookingEvent, arm: ArmRef | undefined): BookedAnswer {
  if (arm === undefined || doc?.kind === 'arm') throw new Error('the document is not that of a booked answer');
  const before = doc ?? { kind: 'answer', experimentId: arm.id, arm: arm.arm, confirmed: false, visits: 0 };
  switch (type) {
    case 'BookingConfirmed':
      return { ...before, confirmed: true };
    case 'VisitVerified':
      return { ...before, visits: before.visits + 1 };
    case 'VisitVoided':
      return { ...before, visits: before.visits - 1 };
    default:
      return before;
  }
}
