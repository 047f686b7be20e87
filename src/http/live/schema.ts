import { Type } from 'typebox';
import { finishedAnswers } from '../answers.ts';

export const LIVE_ANSWER = finishedAnswers(
  'text/event-stream',
  Type.String(),
  ['RATE_LIMITED', 'SERVICE_UNAVAILABLE'],
  ['x-accel-buffering'],
);

export const LIVE_DETAIL = {
  operationId: 'live',
  summary: 'Server-sent events for the dashboard',
  description:
    'Events `ready`, `changed` (`read_models`), `rebuild` (`projections`) and `readiness` (`ready`, `failed`), each at most ' +
    'once a second; the last two only for operators. The stream ends with the session, which it does not renew.',
};
