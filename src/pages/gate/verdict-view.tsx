import { useEffect, useRef, useState } from 'preact/hooks';
import { admit, close, type Shown } from './scan.ts';
import { device, serviceNowMs } from './state.ts';
import { texts } from './texts.ts';
import { localClock, localMoment } from './venue-time.ts';
import type { Guest, Tone, Verdict } from './verdict.ts';

/** A check mark, an exclamation mark and a cross: the answer is not in the colour alone. */
const ICONS: Readonly<Record<Tone, string>> = {
  admit: 'M4 13l5 5L20 7',
  check: 'M12 4v10M12 18.5v1.5',
  refuse: 'M5 5l14 14M19 5L5 19',
};

/** The answer to a scan over the whole screen, its buttons where the thumb is. */
export function VerdictView({ of }: { readonly of: Shown }) {
  const heading = useRef<HTMLHeadingElement>(null);
  const { kind } = of;
  // A screen reader reads the heading that gets the focus.
  useEffect(() => heading.current?.focus(), [kind]);
  const text = texts();
  if (of.kind === 'checking')
    return (
      <div class="verdict checking" role="status">
        <h1>{text.code.checking}</h1>
      </div>
    );
  const { verdict } = of;
  const isDone = of.kind === 'done';
  const tone = toneOf(of);
  const word = isDone ? text.words.done : text.words[tone];
  return (
    <div class={`verdict ${tone}`} role="alertdialog" aria-modal="true" aria-labelledby="answer" aria-describedby="why">
      <div class="answer">
        <div class="word">
          <svg viewBox="0 0 24 24" aria-hidden="true">
            <path d={ICONS[tone]} />
          </svg>
          <h1 id="answer" tabIndex={-1} ref={heading}>
            {word}
          </h1>
        </div>
        <div id="why" aria-live="assertive">
          {isDone && of.present > 0 && <p class="count">{presentText(of.present, verdict.guest)}</p>}
          {isDone && !of.uploaded && <p class="reason">{text.storedHere}</p>}
          {of.kind === 'not-stored' && <p class="reason">{text.notStored}</p>}
          {of.kind === 'verdict' && verdict.reason !== null && <p class="reason">{reasonOf(verdict)}</p>}
        </div>
        <GuestFacts verdict={verdict} />
      </div>
      {of.kind === 'verdict' && verdict.tone !== 'refuse' && verdict.reason !== 'RATE_LIMITED' ? (
        <Admission verdict={verdict} />
      ) : (
        <div class="actions">
          <button type="button" class="main" disabled={of.kind === 'admitting'} onClick={close}>
            {text.next}
          </button>
        </div>
      )}
    </div>
  );
}

function toneOf(of: Exclude<Shown, { kind: 'checking' }>): Tone {
  if (of.kind === 'not-stored') return 'refuse';
  return of.kind === 'done' ? 'admit' : of.verdict.tone;
}

function reasonOf({ reason, atMs, where }: Verdict): string {
  const text = texts();
  if (reason === null) return '';
  const timeZone = device.value?.timeZone ?? 'UTC';
  const at = atMs === null ? null : localMoment(text.locale, timeZone, { atMs, nowMs: serviceNowMs() });
  return text.reasons[reason]({ at, where });
}

function presentText(present: number, guest: Guest | null): string {
  const text = texts();
  return guest !== null && present < guest.numGuests ? text.partOf(present, guest.numGuests) : text.guests(present);
}

function GuestFacts({ verdict: { guest } }: { readonly verdict: Verdict }) {
  const text = texts();
  if (guest === null) return null;
  const { locale } = text;
  const timeZone = device.value?.timeZone ?? 'UTC';
  const clock = (instant: string): string => localClock(locale, timeZone, Date.parse(instant));
  return (
    <div class="guest">
      <p class="name">{guest.name ?? text.noName}</p>
      <p class="party">
        <strong>{text.guests(guest.numGuests)}</strong>
        {guest.numChildren > 0 && (
          <span>
            {text.adults(guest.numAdults)}, {text.children(guest.numChildren)}
          </span>
        )}
      </p>
      {guest.opensAt !== null && guest.closesAt !== null && (
        <p>
          {text.hours}: <strong>{`${clock(guest.opensAt)}–${clock(guest.closesAt)}`}</strong>
        </p>
      )}
      {guest.requests !== null && (
        <p class="requests">
          <strong>{text.requests}:</strong> {guest.requests}
        </p>
      )}
      {guest.activity !== null && <p>{guest.activity}</p>}
    </div>
  );
}

/** A double tap is one decision: the second button stays off for this time. Ms. */
const DELIBERATE_MS = 700;

/** One tap admits on a green answer; an amber one needs a second tap. */
function Admission({ verdict }: { readonly verdict: Verdict }) {
  const booked = verdict.guest?.numGuests ?? 0;
  const [count, setCount] = useState(booked);
  const [tap, setTap] = useState<'first' | 'too-soon' | 'second'>('first');
  const text = texts();
  const isAmber = verdict.tone === 'check';
  const askAgain = (): void => {
    setTap('too-soon');
    setTimeout(() => setTap('second'), DELIBERATE_MS);
  };
  const label = (): string => {
    if (tap !== 'first') return text.confirm(count);
    return count === 0 ? text.admitUnknown : text.admit(count);
  };
  return (
    <div class="actions">
      {booked > 1 && (
        <div class="party-size">
          <button type="button" aria-label={text.fewer} disabled={count <= 1} onClick={() => setCount(count - 1)}>
            −
          </button>
          <output>{text.partOf(count, booked)}</output>
          <button type="button" aria-label={text.more} disabled={count >= booked} onClick={() => setCount(count + 1)}>
            +
          </button>
        </div>
      )}
      <button
        type="button"
        class="main"
        disabled={tap === 'too-soon'}
        onClick={() => (isAmber && tap === 'first' ? askAgain() : void admit(verdict, count))}
      >
        {label()}
      </button>
      <button type="button" class="quiet" onClick={close}>
        {text.close}
      </button>
    </div>
  );
}
