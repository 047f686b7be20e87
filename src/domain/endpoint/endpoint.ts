import type { KeyId } from '../ids.ts';

/** A receiver of webhooks: a key's URL, or the origin of its bookings' own URLs. A key's new URL is a new endpoint. */
export type EndpointId = string & { readonly __brand: 'EndpointId' };

/** The owner and address of an endpoint. */
export type EndpointFacts = {
  readonly keyId: KeyId;
  /** Whether the URL belongs to the key or to bookings. */
  readonly kind: 'key' | 'booking';
  /** Scheme, host and port. The rest of the URL may hold secrets and is not stored here. */
  readonly origin: string;
};

/** Outcomes of attempts at an endpoint since the last report. Times are ISO 8601 UTC. */
export type AttemptsReport = {
  /** Time of the last acknowledged attempt; null for none. */
  readonly succeededAt: string | null;
  /** The failures after it, or all if there was none; null if none failed. */
  readonly failures: Failures | null;
};

/** Consecutive failed attempts. */
export type Failures = {
  readonly firstAt: string;
  readonly lastAt: string;
  /** When a delivery last used up its retries; null for none. */
  readonly gaveUpAt: string | null;
  /** Error text of the last attempt, written by Waymark. */
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
  /** ms since the epoch; null if no attempt follows. */
  readonly retryAtMs: number | null;
};

/** These types are the storage format. */
export type EndpointEvent =
  /** Every attempt since `since` has failed. */
  | { readonly type: 'EndpointFailing'; readonly data: EndpointFacts & { readonly since: string } }
  /** `at`: time of the acknowledged attempt. */
  | { readonly type: 'EndpointRecovered'; readonly data: { readonly at: string } }
  /** Deliveries stop. Names the endpoint, so that subscribers need no older event. */
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
  /** The owner ended the suspension. */
  | { readonly type: 'EndpointEnabled'; readonly data: { readonly at: string } }
  /** The mail to the key's contact was accepted. */
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
type SuspensionMail =
  | { readonly status: 'unsent' }
  | { readonly status: 'failing'; readonly attempts: number; readonly messageId: string }
  /** Accepted by the mail server, or abandoned. */
  | { readonly status: 'ended' };

export type SuspendedEndpoint = {
  readonly status: 'suspended';
  readonly facts: EndpointFacts;
  readonly failingSince: string;
  readonly error: string;
  readonly since: string;
  /** Number of suspensions, including this one. */
  readonly suspensions: number;
  readonly mail: SuspensionMail;
};

export type Endpoint =
  | {
      readonly status: 'working';
      /** Failures up to this time are ignored; null for none. */
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
