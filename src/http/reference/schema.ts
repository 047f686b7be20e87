import { Type } from 'typebox';
import { finishedAnswers } from '../answers.ts';
import { path } from '../schema.ts';

const HEADERS = ['etag', 'cache-control'] as const;

export const OPENAPI = finishedAnswers('application/json', Type.Record(Type.String(), Type.Unknown()), [], HEADERS);

export const LLMS = finishedAnswers('text/plain', Type.String(), [], HEADERS);

export const DOCS = finishedAnswers('text/html', Type.String(), [], HEADERS);

export const DOCS_FILE_PATH = path({ file: 'As the page names it.' });

export const DOCS_FILE = finishedAnswers('*/*', Type.String(), ['NOT_FOUND'], HEADERS);
