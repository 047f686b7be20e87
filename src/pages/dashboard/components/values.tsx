import { useState } from 'preact/hooks';

const INSTANT = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  timeZoneName: 'short',
});
const SHORT = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' });
const SHORT_OF_YEAR = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
});
const NUMBER = new Intl.NumberFormat('en');

/**
 * An instant in the zone of the browser, which it names; its title is the instant in UTC.
 *
 * @param none what is said without an instant
 * @param short for lists: to the minute, with the year only if it is another one. The title has the rest.
 */
export function When({
  at,
  none = 'never',
  short = false,
}: {
  readonly at: string | null | undefined;
  readonly none?: string;
  readonly short?: boolean;
}) {
  if (at === null || at === undefined) return <span class="soft">{none}</span>;
  const instant = new Date(at);
  const utc = `${at.slice(0, 19).replace('T', ' ')} UTC`;
  return (
    <time dateTime={at} title={short ? `${INSTANT.format(instant)} (${utc})` : utc} class="whole">
      {short ? shortTime(instant) : INSTANT.format(instant)}
    </time>
  );
}

/** `27 Nov 19:58`, in another year `27 Nov 2025 19:58`. */
export function shortTime(instant: Date): string {
  const thisYear = instant.getFullYear() === new Date().getFullYear();
  return (thisYear ? SHORT : SHORT_OF_YEAR).format(instant).replace(',', '');
}

/** An id or a code. A short one is not broken: a piece of it cannot be read aloud or searched for. */
export function Id({ of }: { readonly of: string }) {
  return <code class={of.length <= LONGEST_WHOLE ? 'whole' : ''}>{of}</code>;
}

/** Characters that fit in one line beside a title on a narrow phone. */
const LONGEST_WHOLE = 24;

export function Count({ of }: { readonly of: number | null | undefined }) {
  return <span class="number">{of === null || of === undefined ? 'no limit' : NUMBER.format(of)}</span>;
}

/** @param amount in major units, as the API has it */
export function money(amount: number, currency: string): string {
  return new Intl.NumberFormat('en', { style: 'currency', currency, currencyDisplay: 'code' }).format(amount);
}

export function Money({ amount, currency }: { readonly amount: number; readonly currency: string }) {
  return <span class="number">{money(amount, currency)}</span>;
}

/** A button that copies a text. */
export function Copy({ text, label = 'Copy' }: { readonly text: string; readonly label?: string }) {
  const [said, setSaid] = useState('');
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(text);
      setSaid('Copied');
    } catch {
      // Browsers permit it only over TLS or on this machine.
      setSaid('The browser does not permit it: select the text and copy it.');
    }
  };
  return (
    <span class="copy">
      <button type="button" onClick={() => void copy()}>
        {label}
      </button>
      <span role="status">{said}</span>
    </span>
  );
}

/** A secret that the service shows once. */
export function Secret({ label, value }: { readonly label: string; readonly value: string }) {
  return (
    <div class="notice warn">
      <p>
        <strong>{label}</strong> Copy it now: it is not shown again.
      </p>
      <p>
        <code class="secret">{value}</code>
      </p>
      <Copy text={value} />
    </div>
  );
}

/** Text for a program, with a button that copies it. */
export function Code({ label, text }: { readonly label: string; readonly text: string }) {
  return (
    <figure class="code">
      <figcaption>
        {label} <Copy text={text} label={`Copy ${label}`} />
      </figcaption>
      <pre tabIndex={0}>
        <code>{text}</code>
      </pre>
    </figure>
  );
}
