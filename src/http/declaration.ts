import type { Static, TSchema } from 'typebox';
import type { ErrorCode } from '../application/refusal.ts';

/** The chapters of the API reference, in their order. */
export const TAGS = {
  Recommendations: 'What to do, ranked for a traveller and a place.',
  Inventory: 'What can be booked, for when, and at which price.',
  Catalogue: 'What is sold, as the operator sees and changes it.',
  Bookings: 'Booking, and what became of it.',
  Vouchers: 'What a guest shows at the gate. The code in the address is the secret.',
  Gate: 'Scanning vouchers: the ground truth of a visit.',
  Webhooks: 'Events that are posted to a receiver, and their delivery log.',
  Keys: 'API keys: yours, and those that the operator gives out.',
  Analytics: 'What was recommended, booked and visited.',
  Operation: 'Running the service.',
  Tools: 'The same as tools, for agents that speak the Model Context Protocol.',
  Reference: 'How this API describes itself.',
} as const;
export type Tag = keyof typeof TAGS;

/** Headers of requests that mean something to single endpoints. */
export type RequestHeader =
  | 'x-api-key'
  | 'idempotency-key'
  | 'accept-language'
  | 'x-position'
  | 'if-match'
  | 'if-none-match'
  | 'mcp-protocol-version';
/** Headers of answers that single endpoints send. */
export type AnswerHeader = 'x-position' | 'idempotent-replayed' | 'etag' | 'cache-control' | 'link';

/** What the API reference tells of an endpoint, beside who may call it and the fields of its form. */
export type About = {
  /** Unique; what generated clients call the operation. */
  readonly id: string;
  readonly tag: Tag;
  /** A few words, without a full stop. */
  readonly summary: string;
  /** Markdown. */
  readonly description: string;
  /** What each parameter of the path is. */
  readonly params?: Readonly<Record<string, string>>;
  readonly headers?: readonly RequestHeader[];
  readonly answer: DataAnswer | BareAnswer;
  /** Codes that follow neither from who may call nor from the form having fields: see `codesOf`. */
  readonly refusals: readonly ErrorCode[];
  /** The whole body, where it is not the object of the form's fields. */
  readonly body?: TSchema;
  /** Fields of a request that works; shown as the example of a body. */
  readonly example?: Readonly<Record<string, unknown>>;
};

/** A success in the envelope. */
export type DataAnswer = {
  readonly data: TSchema;
  readonly example: object;
  /** Media types in which the same can be asked for, without the envelope. */
  readonly bare?: readonly string[];
  readonly headers?: readonly AnswerHeader[];
};

/** A success that is no envelope: an image, a page. A schema where it is JSON. */
export type BareAnswer = {
  readonly media: string;
  readonly schema: TSchema | null;
  readonly example?: object;
  readonly headers?: readonly AnswerHeader[];
  /** Answers of another protocol than ours, by their status. */
  readonly others?: Readonly<Record<number, OtherAnswer>>;
};

/** A schema where there is a body, which is JSON. */
export type OtherAnswer = { readonly description: string; readonly schema: TSchema | null };

/** The type of `data` in an endpoint's success; what it answers must be of it. */
export type DataOf<A extends About> = A['answer'] extends { readonly data: infer S extends TSchema }
  ? Extract<Shown<Static<S>>, object>
  : object;

/** Answers are only read: the lists in them may be anybody's. */
type Shown<T> = T extends object ? { readonly [K in keyof T]: Shown<T[K]> } : T;
