import type { KeyId } from '../booking/booking.ts';

/** A receiver of webhooks: a key's URL, or the receiver that a key's bookings name at one origin. Another URL of a key is another one. */
export type EndpointId = string & { readonly __brand: 'EndpointId' };

/** Whose receiver it is, and where. */
export type EndpointFacts = {
  readonly keyId: KeyId;
  /** Whether the key names it, or bookings do. */
  readonly kind: 'key' | 'booking';
  /** Scheme, host and port. The rest of the URL may hold secrets, and stands elsewhere. */
  readonly origin: string;
};

/** What attempts at deliveries to an endpoint came to, since they were reported last. Times are ISO 8601 UTC. */
export type AttemptsReport = {
  /** Of the last attempt that was acknowledged; null where none was. */
  readonly succeededAt: string | null;
  /** Behind that, or all of them; null where none failed. */
  readonly failures: Failures | null;
};

/** Failed attempts in a row. */
export type Failures = {
  readonly firstAt: string;
  readonly lastAt: string;
  /** When the last delivery had used up its retries; null where none had. */
  readonly gaveUpAt: string | null;
  /** What came of the last attempt, in our words. */
  readonly error: string;
};

type MailAttempt = {
  /** The suspension's number. */
  readonly issue: number;
  readonly messageId: string;
  readonly at: string;
};

type MailFailure = {
  /** From 1. */
  readonly attempt: number;
  /** A code for operators, without personal data. */
  readonly reason: string;
  /** ms since the epoch; null where no attempt follows. */
  readonly retryAtMs: number | null;
};

/** These types are the storage format. */
export type EndpointEvent =
  /** Since then every attempt has failed. */
  | { readonly type: 'EndpointFailing'; readonly data: EndpointFacts & { readonly since: string } }
  /** `at`: when an attempt was acknowledged again. */
  | { readonly type: 'EndpointRecovered'; readonly data: { readonly at: string } }
  /** Nothing is sent there any more. Names the endpoint, so that who follows the log needs nothing older. */
  | {
      readonly type: 'EndpointSuspended';
      readonly data: EndpointFacts & {
        readonly failingSince: string;
        readonly error: string;
        /** Counts the suspensions of this endpoint, from 1. */
        readonly issue: number;
        readonly at: string;
      };
    }
  /** Its owner ended the suspension. */
  | { readonly type: 'EndpointEnabled'; readonly data: { readonly at: string } }
  /** The key's contact was told of the suspension. */
  | { readonly type: 'SuspensionMailed'; readonly data: MailAttempt & { readonly providerId: string | null } }
  | { readonly type: 'SuspensionMailFailed'; readonly data: MailAttempt & MailFailure };

export type EndpointCommand =
  | {
      readonly type: 'ReportAttempts';
      readonly facts: EndpointFacts;
      readonly report: AttemptsReport;
      readonly suspendAfterMs: number;
      readonly at: string;
    }
  | { readonly type: 'EnableEndpoint'; readonly at: string }
  | ({ readonly type: 'RecordSuspensionMailed'; readonly providerId: string | null } & MailAttempt)
  | ({ readonly type: 'RecordSuspensionMailFailed' } & MailAttempt & MailFailure);

/** The mail about a suspension. */
export type SuspensionMail =
  | { readonly status: 'unsent' }
  | { readonly status: 'failing'; readonly attempts: number; readonly messageId: string }
  /** Accepted, or given up. */
  | { readonly status: 'ended' };

export type SuspendedEndpoint = {
  readonly status: 'suspended';
  readonly facts: EndpointFacts;
  readonly failingSince: string;
  readonly error: string;
  readonly since: string;
  /** Counts the suspensions, this one included. */
  readonly suspensions: number;
  readonly mail: SuspensionMail;
};

export type Endpoint =
  | {
      readonly status: 'working';
      /** Failures up to then count no more; null where there was none. */
      readonly countedUntil: string | null;
      readonly suspensions: number;
    }
  | {
      readonly status: 'failing';
      readonly facts: EndpointFacts;
      readonly since: string;
      readonly suspensions: number;
    }
  | SuspendedEndpoint;
