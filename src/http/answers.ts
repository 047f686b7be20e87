import { type Static, type TSchema, Type } from 'typebox';
import { ERROR_CODES, type ErrorCode } from '../application/refusal.ts';
import type { AnswerHeader } from './headers.ts';
import { STATUS } from './status.ts';

/** The error envelope. */
export const FAILURE = Type.Object(
  {
    success: Type.Literal(false),
    error: Type.String({ description: 'One sentence: what is wrong, with field and value, and what to do.' }),
    code: Type.Enum([...ERROR_CODES]),
    details: Type.String({ description: 'More about the error, for instance every bad field; may be empty.' }),
    retryable: Type.Boolean({ description: 'The same request can succeed later.' }),
    resolution: Type.Enum(['fix_request', 'retry_later', 'choose_other', 'contact_operator']),
    alternatives: Type.Optional(
      Type.Array(
        Type.Object({
          activity_id: Type.Optional(Type.String()),
          title: Type.Optional(Type.String()),
          date: Type.Optional(Type.String({ format: 'date' })),
          booking_date: Type.Optional(Type.String({ format: 'date' })),
          available_slots: Type.Optional(Type.Integer({ minimum: 0 })),
          city: Type.Optional(Type.String()),
          leave_out: Type.Optional(Type.String({ description: 'A field to leave out.' })),
          activities: Type.Optional(
            Type.Integer({ minimum: 1, description: 'The number of activities without that field.' }),
          ),
          total: Type.Optional(Type.Number({ description: 'The present total.' })),
          currency: Type.Optional(Type.String()),
        }),
        { description: 'What you can request instead, as fields of the request.' },
      ),
    ),
  },
  { $id: 'Error', description: 'Every failure.' },
);

export type Failure = DeepReadonly<Omit<Static<typeof FAILURE>, 'alternatives'>> & {
  readonly alternatives?: readonly object[];
};
export type Success<D> = { readonly success: true; readonly data: D };

export type FailureStatus = (typeof STATUS)[ErrorCode];

/** The schema of an answer, for Elysia and the API reference. Only the compiler checks it, not the running service. */
export type AnswerSchema<T = unknown> = {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: 'typebox';
    readonly validate: (value: unknown) => { readonly value: unknown };
    readonly types: { readonly input: T; readonly output: T };
  };
  readonly schema: TSchema;
  /** For the OpenAPI document: what the schema does not contain. */
  readonly about: AboutSuccess | AboutFinished | AboutOther | AboutFailure;
};

export type AboutSuccess = {
  readonly example: object;
  readonly headers: readonly AnswerHeader[];
  /** Other media types that a client may request. They have no envelope. */
  readonly bare?: readonly string[];
};
export type AboutFinished = {
  readonly media: string;
  readonly headers: readonly AnswerHeader[];
  readonly example?: object;
  readonly bare?: readonly string[];
};
/** An answer of another protocol (MCP), with a JSON body or no body. */
export type AboutOther = { readonly description: string; readonly json: boolean };
export type AboutFailure = { readonly codes: readonly ErrorCode[] };

/**
 * The `response` of a route by status: its success, and the error codes of its use case. The API reference adds the
 * codes of authentication and of the request's fields (`codesOf`).
 */
export function answers<S extends TSchema>(
  data: S,
  example: DeepReadonly<Static<S>> & object,
  refusals: readonly ErrorCode[],
  headers: readonly AnswerHeader[] = [],
): { readonly 200: AnswerSchema<Success<DeepReadonly<Static<S>>>> } & {
  readonly [K in FailureStatus]: AnswerSchema<Failure>;
} {
  const schema = Type.Object({ success: Type.Literal(true), data });
  return withFailures(answer<Success<DeepReadonly<Static<S>>>>(schema, { example, headers }), refusals);
}

/**
 * The `response` of a route whose handler returns a finished response without the envelope, such as a page or an image.
 *
 * @param schema for the API reference, if the media type is JSON
 */
export function finishedAnswers(
  media: string,
  schema: TSchema,
  refusals: readonly ErrorCode[],
  headers: readonly AnswerHeader[] = [],
  example?: object,
) {
  const about = { media, headers, ...(example === undefined ? {} : { example }) };
  return withFailures(answer<Response>(schema, about), refusals);
}

/**
 * An answer of another protocol (MCP). A refusal may have the same status.
 *
 * @param schema of the JSON body; null if there is no body
 */
export function otherAnswer(description: string, schema: TSchema | null): AnswerSchema<Failure> {
  return answer(schema ?? Type.Null(), { description, json: schema !== null });
}

function withFailures<T>(
  succeeded: AnswerSchema<T>,
  refusals: readonly ErrorCode[],
): { readonly 200: AnswerSchema<T> } & { readonly [K in FailureStatus]: AnswerSchema<Failure> } {
  const failures = [...Map.groupBy(refusals, (code) => STATUS[code])].map(
    ([status, codes]) => [status, answer(FAILURE, { codes })] as const,
  );
  // The type allows every failure status. Only the documented ones have an entry.
  return Object.fromEntries([[200, succeeded], ...failures]) as ReturnType<typeof withFailures<T>>;
}

/** Adds media types in which the route answers without the envelope. */
export function orBare<T>(media: readonly string[], enveloped: Answers<T>): Answers<T | Response> {
  const { schema, about } = enveloped[200];
  return { ...enveloped, 200: answer(schema, { ...about, bare: media }) };
}

type Answers<T> = { readonly 200: AnswerSchema<T> } & { readonly [K in FailureStatus]: AnswerSchema<Failure> };

export function isAnswerSchema(schema: unknown): schema is AnswerSchema {
  return typeof schema === 'object' && schema !== null && 'about' in schema && '~standard' in schema;
}

export function success<const D>(data: D): Success<D> {
  return { success: true, data };
}

/** Makes objects and lists readonly at every level. */
type DeepReadonly<T> = T extends object ? { readonly [K in keyof T]: DeepReadonly<T[K]> } : T;

function answer<T>(schema: TSchema, about: AnswerSchema['about']): AnswerSchema<T> {
  // Only the compiler reads `types`.
  const types = {} as AnswerSchema<T>['~standard']['types'];
  return { '~standard': { version: 1, vendor: 'typebox', validate: (value) => ({ value }), types }, schema, about };
}
