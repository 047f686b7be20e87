import type { DomainEvent } from '../../../src/eventsourcing/message.ts';
import { experimentId } from '../../support/experiments.ts';
import { STORED_PUBLIC_EVENTS } from './stored-public-events.ts';
import { STORED_RECOMMENDATION_EVENTS } from './stored-recommendation-events.ts';

const ARM = { id: experimentId('exp_7k2m0q98b5n7gk2m'), arm: 'power-4' };
const SERVED = STORED_RECOMMENDATION_EVENTS['RecommendationServed.v2'];
const CONFIRMED = STORED_PUBLIC_EVENTS['BookingConfirmed.v6'];
const VERIFIED = STORED_PUBLIC_EVENTS['VisitVerified.v6'];

/**
 * Events with optional members, by category and file name: the version, and the member that the file of the version alone
 * lacks.
 */
export const STORED_OPTIONAL_MEMBERS: Readonly<Record<string, Readonly<Record<string, DomainEvent>>>> = {
  recommendation: {
    'RecommendationServed.v2.experiment': {
      ...SERVED,
      data: { ...SERVED.data, experiment: { ...ARM, groundTruthPower: 4 } },
    },
  },
  booking: {
    'BookingConfirmed.v6.experiment': { ...CONFIRMED, data: inExperiment(CONFIRMED.data) },
    'VisitVerified.v6.guests': { ...VERIFIED, data: { ...VERIFIED.data, guestsPresent: 2 } },
    'VisitVerified.v6.experiment': { ...VERIFIED, data: inExperiment(VERIFIED.data) },
  },
};

function inExperiment<Data extends { readonly attribution: object | null }>(data: Data): Data {
  return { ...data, attribution: { ...data.attribution, experiment: ARM } };
}
