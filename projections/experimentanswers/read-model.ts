import type { ExperimentId } from '../../src/domain/experiment/experiment.ts';

type OfArm = { readonly experimentId: ExperimentId; readonly arm: string };

/** The answers of an arm, or one of them that led to a booking. */
export type ExperimentAnswers = AnswersOfArm | BookedAnswer;

export type AnswersOfArm = OfArm & { readonly kind: 'arm'; readonly answers: number };

export type BookedAnswer = OfArm & {
  readonly kind: 'answer';
  /** Whether one of its bookings was confirmed. */
  readonly confirmed: boolean;
  /** Visits of its bookings, without disputed and voided ones. */
  readonly visits: number;
};
