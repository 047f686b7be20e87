import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { ApiError } from '../client.ts';

/** A page of the dashboard: its heading gets the focus, so that a screen reader starts there. */
export function Page({
  title,
  actions,
  children,
}: {
  readonly title: string;
  readonly actions?: ComponentChildren;
  readonly children: ComponentChildren;
}) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${title} · Waymark`;
  }, [title]);
  useEffect(() => heading.current?.focus({ preventScroll: true }), []);
  return (
    <article class="page">
      <header class="page-head">
        <h1 ref={heading} tabIndex={-1}>
          {title}
        </h1>
        {actions !== undefined && <div class="actions">{actions}</div>}
      </header>
      {children}
    </article>
  );
}

/** A part of a page under a heading of its own. */
export function Section({
  title,
  actions,
  children,
}: {
  readonly title: string;
  readonly actions?: ComponentChildren;
  readonly children: ComponentChildren;
}) {
  return (
    <section class="card">
      <header class="page-head">
        <h2>{title}</h2>
        {actions !== undefined && <div class="actions">{actions}</div>}
      </header>
      {children}
    </section>
  );
}

/** Names and values. A value that is null is not shown. */
export function Facts({ of }: { readonly of: Readonly<Record<string, ComponentChildren>> }) {
  return (
    <dl class="facts">
      {Object.entries(of)
        .filter(([, value]) => value !== null && value !== undefined)
        .map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  );
}

/** What failed, in the words of the API. */
export function Fault({ of, retry }: { readonly of: Error | null; readonly retry?: (() => void) | undefined }) {
  if (of === null) return null;
  const details = of instanceof ApiError && of.details !== '' ? of.details : null;
  return (
    <div class="notice bad" role="alert">
      <p>{of.message}</p>
      {details !== null && <p class="soft">{details}</p>}
      {retry !== undefined && (
        <button type="button" onClick={retry}>
          Try again
        </button>
      )}
    </div>
  );
}

/** The result of an action. Screen readers read it when it appears. */
export function Done({ children }: { readonly children: ComponentChildren }) {
  return (
    <div role="status">
      {children !== null && children !== undefined && children !== '' && <div class="notice good">{children}</div>}
    </div>
  );
}

export function Empty({ children }: { readonly children: ComponentChildren }) {
  return <p class="empty">{children}</p>;
}

/** An answer that is not there yet. */
export function Loading() {
  return (
    <p class="empty" role="status">
      Loading…
    </p>
  );
}

export type Tone = 'good' | 'warn' | 'bad' | 'info' | 'plain';

/** A status as a word; the colour only repeats it. */
export function Badge({ tone = 'plain', children }: { readonly tone?: Tone; readonly children: ComponentChildren }) {
  return <span class={`badge ${tone}`}>{children}</span>;
}

/** @param of the number that is done, of `total` */
export function Progress({
  label,
  of,
  total,
}: {
  readonly label: string;
  readonly of: number;
  readonly total: number;
}) {
  return (
    <label class="progress">
      <span>
        {label}: {of.toLocaleString('en')} of {total.toLocaleString('en')}
      </span>
      <progress value={of} max={Math.max(total, 1)} />
    </label>
  );
}

/** Links to the parts of a page; `current` is the value of one of them. */
export function Tabs({
  label,
  current,
  tabs,
}: {
  readonly label: string;
  readonly current: string;
  readonly tabs: readonly { readonly value: string; readonly title: string; readonly href: string }[];
}) {
  return (
    <nav class="tabs" aria-label={label}>
      {tabs.map(({ value, title, href }) => (
        <a key={value} href={href} aria-current={value === current ? 'page' : undefined}>
          {title}
        </a>
      ))}
    </nav>
  );
}
