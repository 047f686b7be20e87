import { Type } from 'typebox';
import { finishedAnswers } from '../answers.ts';
import { path } from '../schema.ts';

export const REQUEST_PATH = path({
  token: 'The token of the link in the mail to the venue. It is a secret: keep the address out of logs.',
});

/** Problems are pages too. */
export const REQUEST_PAGE_ANSWER = finishedAnswers('text/html', Type.String(), []);

export const REQUEST_PAGE_DETAIL = {
  // A page for browsers.
  hide: true,
  operationId: 'venue_request_page',
  summary: 'Show a venue its booking request',
  description:
    "The page behind the link in the mail to the venue's contact, in the contact's language. It shows the request and changes nothing, so that a link scanner cannot answer it. After the deadline, an answer, a change or a cancellation the page says so. The link itself is the credential.",
};

export const CONFIRM_REQUEST_DETAIL = {
  // A page for browsers.
  hide: true,
  operationId: 'confirm_venue_request',
  summary: 'Confirm a booking request as its venue',
  description:
    'The button of the page confirms the booking, once and until the deadline. The answer is the page, which says what was decided, by whom and when.',
};

export const DECLINE_REQUEST_DETAIL = {
  // A page for browsers.
  hide: true,
  operationId: 'decline_venue_request',
  summary: 'Decline a booking request as its venue',
  description: 'As the confirmation: the button of the page declines the booking, once and until the deadline.',
};
