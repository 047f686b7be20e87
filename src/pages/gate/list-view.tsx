import { useState } from 'preact/hooks';
import type { Arrival } from './contract.ts';
import { enqueue, uploadNow, waiting } from './queue.ts';
import { device, known } from './state.ts';
import { texts } from './texts.ts';
import { localClock } from './venue-time.ts';
import { guestOfArrival } from './verdict.ts';

/** The day's bookings, searched by name. It admits nobody; later guests of a visit are recorded here. */
export function ListView() {
  const [wanted, setWanted] = useState('');
  const { list, locale } = texts();
  const { days } = known.value;
  const all = days.flatMap(({ items }) => items).toSorted((a, b) => a.user_name.localeCompare(b.user_name, locale));
  const found = all.filter(({ user_name: name }) => folded(name).includes(folded(wanted)));
  const zone = device.value?.timeZone ?? 'UTC';
  return (
    <div class="list">
      <label for="search">{list.search}</label>
      <input
        id="search"
        type="search"
        value={wanted}
        onInput={({ currentTarget }) => setWanted(currentTarget.value)}
        autocomplete="off"
      />
      <p class="soft">
        {days[0] !== undefined && `${list.updated(localClock(locale, zone, days[0].issuedAtMs))}. `}
        {list.note}
      </p>
      {found.length === 0 && <p>{all.length === 0 ? list.empty : list.none}</p>}
      <ul>
        {found.map((arrival) => (
          <Booking key={arrival.booking_id} of={arrival} />
        ))}
      </ul>
    </div>
  );
}

function Booking({ of }: { readonly of: Arrival }) {
  const { list, guests, partOf, locale, requests } = texts();
  const zone = device.value?.timeZone ?? 'UTC';
  const present = presentOf(of);
  const state =
    of.status === 'cancelled' ? 'cancelled' : present > 0 || of.verified_at !== null ? 'arrived' : 'expected';
  const clock = (instant: string): string => localClock(locale, zone, Date.parse(instant));
  return (
    <li class={`booking ${state}`}>
      <p class="name">{of.user_name}</p>
      <p>
        <strong>{list[state]}</strong> {state === 'arrived' ? partOf(present, of.num_guests) : guests(of.num_guests)}
        {of.opens_at !== null && of.closes_at !== null && (
          <span class="hours">{`${clock(of.opens_at)}–${clock(of.closes_at)}`}</span>
        )}
      </p>
      <p class="soft">{of.activity_title}</p>
      {of.special_requests !== null && (
        <p>
          {requests}: {of.special_requests}
        </p>
      )}
      {state === 'arrived' && present < of.num_guests && <LaterGuests of={of} present={present} />}
    </li>
  );
}

/** What the service has, and what waits on this phone. */
function presentOf({ booking_id: id, guests_present: listed }: Arrival): number {
  const here = waiting().filter(
    ({ sent, guest }) => (sent.kind === 'arrivals' ? sent.bookingId : guest?.bookingId) === id,
  );
  return Math.max(listed, ...here.map(({ guestsPresent }) => guestsPresent));
}

function LaterGuests({ of, present }: { readonly of: Arrival; readonly present: number }) {
  const [count, setCount] = useState<number | null>(null);
  const [hasFailed, setFailed] = useState(false);
  const text = texts();
  const { list } = text;
  if (count === null)
    return (
      <button type="button" onClick={() => setCount(of.num_guests)}>
        {list.moreArrived}
      </button>
    );
  const record = async (): Promise<void> => {
    try {
      const sent = { kind: 'arrivals', bookingId: of.booking_id } as const;
      const entry = await enqueue({ guest: guestOfArrival(of), guestsPresent: count, sent });
      const outcome = await uploadNow(entry);
      if (typeof outcome === 'object') setFailed(true);
      else setCount(null);
    } catch {
      setFailed(true);
    }
  };
  return (
    <div class="later">
      <p>{list.nowPresent}</p>
      <div class="party-size">
        <button
          type="button"
          aria-label={text.fewer}
          disabled={count <= present + 1}
          onClick={() => setCount(count - 1)}
        >
          −
        </button>
        <output>{text.partOf(count, of.num_guests)}</output>
        <button
          type="button"
          aria-label={text.more}
          disabled={count >= of.num_guests}
          onClick={() => setCount(count + 1)}
        >
          +
        </button>
      </div>
      <button type="button" class="main" onClick={() => void record()}>
        {list.record}
      </button>
      {hasFailed && <p role="alert">{text.reasons.REFUSED({ at: null, where: null })}</p>}
    </div>
  );
}

/** Without case and accents, so that `Nguyễn` is found by `nguyen`. */
function folded(name: string): string {
  return name
    .normalize('NFD')
    .replace(/\p{Mark}/gu, '')
    .toLowerCase()
    .replaceAll('đ', 'd');
}
