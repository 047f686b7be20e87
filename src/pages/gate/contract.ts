/** The answers of the API that the gate reads. The page sends a device key, not a session, so it has its own client. */

export type Arrival = {
  readonly booking_id: string;
  readonly status: string;
  readonly revision: number;
  readonly code_hash: string;
  readonly activity_title: string;
  readonly opens_at: string | null;
  readonly closes_at: string | null;
  readonly valid_until: string;
  readonly user_name: string;
  readonly special_requests: string | null;
  readonly num_adults: number;
  readonly num_children: number;
  readonly num_guests: number;
  readonly guests_present: number;
  readonly verified_at: string | null;
};

export type ArrivalsPage = {
  readonly venue_id: string;
  readonly venue_name: string;
  readonly time_zone: string;
  readonly device_name: string;
  readonly mode: 'live' | 'test';
  readonly admit_at_once: boolean;
  readonly date: string;
  readonly issued_at: string;
  readonly items: readonly Arrival[];
  readonly next_cursor: string | null;
};

export type RevocationsAnswer = { readonly date: string; readonly issued_at: string; readonly list: string };

export type PublishedKeys = { readonly keys: readonly { readonly kid: string; readonly x: string }[] };

/** What a scan answers, dry or not. */
export type ScanAnswer = {
  readonly booking_id: string;
  readonly activity_title: string;
  readonly user_name: string;
  readonly num_adults: number;
  readonly num_children: number;
  readonly num_guests: number;
  readonly guests_present: number;
  readonly opens_at: string | null;
  readonly closes_at: string | null;
  readonly special_requests: string | null;
};

/** The body of `POST /api/venue/verify`. */
export type ScanBody = {
  readonly code: string;
  readonly gate?: string;
  readonly verified_at?: string;
  readonly uploaded_sequence?: number;
  readonly dry_run?: boolean;
  readonly guests_present?: number;
};
