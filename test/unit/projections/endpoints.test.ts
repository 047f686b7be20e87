import { describe, test } from 'bun:test';
import { endpointsProjection } from '../../../projections/endpoints/projection.ts';
import type { EndpointDocument } from '../../../projections/endpoints/read-model.ts';
import type { EndpointEvent, EndpointId } from '../../../src/domain/endpoint/endpoint.ts';
import { keyId } from '../../support/examples.ts';
import { givenEvents } from '../../support/given.ts';
import { recorder } from '../../support/recorded.ts';

const FACTS = { keyId: keyId('key_1'), kind: 'key', origin: 'https://agent.example' } as const;
const SINCE = '2026-11-16T03:00:00.000Z';
const AT = '2026-11-21T03:00:00.000Z';
const FAILING: EndpointEvent = { type: 'EndpointFailing', data: { ...FACTS, since: SINCE } };
const SUSPENDED: EndpointEvent = {
  type: 'EndpointSuspended',
  data: { ...FACTS, failingSince: SINCE, error: 'answered 503', issue: 1, at: AT },
};
const MAILED: EndpointEvent = {
  type: 'SuspensionMailed',
  data: { issue: 1, messageId: 'm', providerId: null, at: AT },
};
const DOCUMENT: EndpointDocument = {
  endpointId: 'ep_1' as EndpointId,
  ...FACTS,
  status: 'failing',
  failingSince: SINCE,
  suspendedSince: null,
  error: null,
};
const OF_SUSPENDED: EndpointDocument = {
  ...DOCUMENT,
  status: 'suspended',
  suspendedSince: AT,
  error: 'answered 503',
};

describe('a receiver', () => {
  test.each<[string, EndpointEvent[], EndpointDocument | null]>([
    ['that fails is listed since its first failure', [FAILING], DOCUMENT],
    ['that is suspended is listed with its last error', [FAILING, SUSPENDED], OF_SUSPENDED],
    ['whose owner got a mail stays as it is', [FAILING, SUSPENDED, MAILED], OF_SUSPENDED],
    ['that works again is not listed', [FAILING, { type: 'EndpointRecovered', data: { at: AT } }], null],
    ['that its owner enabled is not listed', [SUSPENDED, { type: 'EndpointEnabled', data: { at: AT } }], null],
    [
      'that fails after it was enabled is listed again',
      [SUSPENDED, { type: 'EndpointEnabled', data: { at: AT } }, FAILING],
      DOCUMENT,
    ],
  ])('%s', (_, events, document) => {
    const record = recorder();
    const recorded = events.map((event) => record<EndpointEvent>('endpoint-ep_1', event));
    givenEvents(endpointsProjection, ...recorded).thenDocument('ep_1', document);
  });
});
