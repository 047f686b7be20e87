import { Type } from 'typebox';
import type { Declaration } from '../endpoint.ts';

const kept = ['etag', 'cache-control'] as const;

export const OPENAPI = {
  by: 'anybody',
  id: 'openapi',
  tag: 'Reference',
  summary: 'This document',
  description: 'OpenAPI 3.1, made of what the endpoints declare and check.',
  headers: ['if-none-match'],
  answer: {
    media: 'application/json',
    schema: Type.Record(Type.String(), Type.Unknown()),
    headers: kept,
  },
  refusals: [],
} as const satisfies Declaration;

export const LLMS = {
  by: 'anybody',
  id: 'llms',
  tag: 'Reference',
  summary: 'A short guide for agents',
  description: 'Markdown: how to call, the way from a wish to a voucher, and what to do about each error.',
  headers: ['if-none-match'],
  answer: { media: 'text/plain', schema: null, headers: kept },
  refusals: [],
} as const satisfies Declaration;

export const DOCS = {
  by: 'anybody',
  id: 'docs',
  tag: 'Reference',
  summary: 'This document as a page',
  description: 'Everything it loads comes from here: it works without the internet.',
  headers: ['if-none-match'],
  answer: { media: 'text/html', schema: null, headers: kept },
  refusals: [],
} as const satisfies Declaration;

export const DOCS_FILE = {
  by: 'anybody',
  id: 'docs_file',
  tag: 'Reference',
  summary: 'A file of the page',
  description: 'Its name changes with its content, so that it may be kept for ever.',
  params: { file: 'As the page names it.' },
  headers: ['if-none-match'],
  answer: { media: '*/*', schema: null, headers: kept },
  refusals: ['NOT_FOUND'],
} as const satisfies Declaration;
