import { Type } from 'typebox';
import { finishedAnswers, orBare } from '../answers.ts';
import { path } from '../schema.ts';

export const ACTIVITY_PICTURE_PATH = path({ file: "An activity's id with `.png` or `.svg`." });
export const CATEGORY_PICTURE_PATH = path({ file: 'A category with `.png` or `.svg`.' });

export const PICTURE_ANSWER = orBare(
  ['image/svg+xml'],
  finishedAnswers('image/png', Type.String(), ['NOT_FOUND', 'SERVICE_UNAVAILABLE'], ['etag']),
);

export const ACTIVITY_PICTURE_DETAIL = {
  operationId: 'activity_picture',
  summary: 'The drawn picture of an activity',
  description:
    'An image of 1200 × 800 pixels without text, as PNG or SVG. The `images` of an activity without photographs name it.',
};

export const CATEGORY_PICTURE_DETAIL = {
  operationId: 'category_picture',
  summary: 'The drawn picture of a category',
  description: 'An image of 1200 × 800 pixels without text, as PNG or SVG.',
};
