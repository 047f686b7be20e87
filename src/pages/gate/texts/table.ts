import type { Reason } from '../verdict.ts';

/** What a reason may name: a moment at the venue, and a gate or address. */
type Named = { readonly at: string | null; readonly where: string | null };

/** The texts of the gate in one language. */
export type GateTexts = {
  /** For times and dates at the venue. All locales use the Gregorian calendar. */
  readonly locale: string;
  /** The language in itself. */
  readonly name: string;
  readonly loading: string;
  readonly signIn: {
    readonly heading: string;
    readonly text: string;
    readonly key: string;
    readonly button: string;
    readonly scan: string;
    readonly refused: string;
    readonly unreadable: string;
    readonly unanswered: string;
    readonly removed: string;
    /** A link of another device was opened while entries of this one wait. */
    readonly other: string;
    readonly noStorage: string;
  };
  readonly views: { readonly scan: string; readonly list: string; readonly waiting: string; readonly more: string };
  readonly testMode: string;
  readonly online: string;
  readonly offline: (listOf: string) => string;
  readonly offlineNoList: string;
  readonly old: string;
  readonly paused: string;
  readonly camera: {
    readonly label: string;
    readonly hint: string;
    readonly starting: string;
    readonly refused: string;
    readonly missing: string;
    readonly retry: string;
    readonly light: string;
  };
  readonly code: { readonly label: string; readonly check: string; readonly checking: string };
  readonly words: {
    readonly admit: string;
    readonly check: string;
    readonly refuse: string;
    readonly done: string;
  };
  readonly reasons: Readonly<Record<Reason, (named: Named) => string>>;
  readonly noName: string;
  readonly guests: (count: number) => string;
  readonly adults: (count: number) => string;
  readonly children: (count: number) => string;
  readonly partOf: (present: number, booked: number) => string;
  readonly hours: string;
  readonly requests: string;
  readonly admit: (count: number) => string;
  readonly admitUnknown: string;
  /** The second, deliberate tap of an amber answer. */
  readonly confirm: (count: number) => string;
  readonly fewer: string;
  readonly more: string;
  readonly next: string;
  readonly close: string;
  readonly storedHere: string;
  readonly notStored: string;
  readonly list: {
    readonly search: string;
    readonly empty: string;
    readonly none: string;
    readonly note: string;
    readonly updated: (clock: string) => string;
    readonly expected: string;
    readonly arrived: string;
    readonly cancelled: string;
    readonly moreArrived: string;
    readonly nowPresent: string;
    readonly record: string;
  };
  readonly waiting: {
    readonly heading: string;
    readonly none: string;
    readonly text: string;
    readonly conflicts: string;
    readonly conflictText: string;
    readonly letIn: (count: number, clock: string) => string;
    readonly understood: string;
    /** The service did not answer an upload in time. */
    readonly slow: string;
    /** The service failed, or did not accept the form of an upload. `what`: status and code. */
    readonly faulty: (what: string) => string;
    readonly nextTry: (clock: string) => string;
    /** An earlier upload of the same booking waits. */
    readonly behind: string;
  };
  readonly settings: {
    readonly language: string;
    readonly sound: string;
    readonly vibration: string;
    readonly install: string;
    readonly signOut: string;
    readonly signOutLoses: (count: number) => string;
    readonly signOutAnyway: string;
    readonly stay: string;
  };
};
