import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { CITY_NAMES } from '../../../domain/activity/cities.ts';
import { ApiError } from '../client.ts';
import { choicesOf, Field, FilterForm, Select } from '../components/form.tsx';
import { Fault, Tabs } from '../components/page.tsx';
import { hrefWith, type Query, useQuery } from '../use-query.ts';
import { type Basis, periodsUntil, today } from './periods.ts';
import type { Asked } from './rows.ts';

const FILTERS = ['from', 'to', 'city', 'activity_id'];
/** Filters that a person keeps from one report to the next. */
const KEPT = ['from', 'to', 'city'];
/** Of the report that was open last. */
let kept: Query = {};

const HINTS: Readonly<Record<Basis, string>> = { local: 'Date at the city', utc: 'Date in UTC' };

/** The parameters of a report's page. A page that is opened without a range and a city takes those of the last report. */
export function useReportQuery(): ReturnType<typeof useQuery> {
  const [query, change] = useQuery();
  const opened = useRef(false);
  const takesKept = !opened.current && KEPT.every((name) => query[name] === undefined);
  const effective = takesKept ? { ...kept, ...query } : query;
  useEffect(() => {
    opened.current = true;
    kept = Object.fromEntries(KEPT.flatMap((name) => (effective[name] ? [[name, effective[name]]] : [])));
    if (takesKept && Object.keys(kept).length > 0) change(kept, 'replace');
  }, [JSON.stringify(effective)]);
  return [effective, change];
}

/** The filters in the address, as the API takes them. */
export function filtersOf({ from, to, city, activity_id }: Query): Asked {
  return {
    ...(from && { from }),
    ...(to && { to }),
    ...(city && { city }),
    ...(activity_id && { activity_id }),
  };
}

/** A range that no report can have; there is no need to send it. */
export function isBackwards({ from = '', to = '' }: Query): boolean {
  return from !== '' && to !== '' && from > to;
}

/**
 * A choice applies at once. What was typed applies when the focus leaves the form, so that a tab is never clicked with
 * other filters than those shown.
 *
 * @param groups the columns to group by, with their titles; the first is the default
 * @param fault of the answer
 * @param children tabs above the filters
 */
export function Filters({
  query,
  change,
  basis,
  about,
  groups,
  fault,
  children,
}: {
  readonly query: Query;
  readonly change: (change: Query) => void;
  readonly basis: Basis;
  readonly about: string;
  readonly groups?: Readonly<Record<string, string>>;
  readonly fault: Error | null;
  readonly children?: ComponentChildren;
}) {
  const by = query['group_by'] ?? Object.keys(groups ?? {})[0] ?? '';
  const shown: Query = groups === undefined ? query : { ...query, group_by: by };
  const names = groups === undefined ? FILTERS : [...FILTERS, 'group_by'];
  const box = useAppliedFilters(names, shown);
  const unknown = isUnknownActivity(fault) ? 'No activity has this id.' : undefined;
  return (
    <div class="report" ref={box}>
      {children}
      <Periods query={query} basis={basis} />
      <FilterForm names={names} query={[shown, change]} submit="Show">
        <Field
          label="From"
          name="from"
          type="date"
          value={query['from'] ?? ''}
          hint={HINTS[basis]}
          wrong={isBackwards(query) ? '“From” is after “To”.' : undefined}
        />
        <Field label="To" name="to" type="date" value={query['to'] ?? ''} hint={HINTS[basis]} />
        <Select label="City" name="city" value={query['city'] ?? ''} choices={choicesOf(CITY_NAMES, 'all')} />
        <Field
          label="Activity (id)"
          name="activity_id"
          value={query['activity_id'] ?? ''}
          placeholder="bkk-…"
          wrong={unknown}
        />
        {groups !== undefined && (
          <Select
            label="Group by"
            name="group_by"
            value={by}
            choices={Object.entries(groups).map(([value, title]) => ({ value, title }))}
          />
        )}
      </FilterForm>
      <p class="soft">{about}</p>
    </div>
  );
}

/** @returns a reference to the element with the form */
function useAppliedFilters(names: readonly string[], shown: Query) {
  const box = useRef<HTMLDivElement>(null);
  const latest = useRef(shown);
  latest.current = shown;
  useEffect(() => {
    const apply = (form: HTMLFormElement): void => {
      const entered = new FormData(form);
      const textOf = (name: string): string => {
        const value = entered.get(name);
        return typeof value === 'string' ? value.trim() : '';
      };
      const changed = names.some((name) => textOf(name) !== (latest.current[name] ?? ''));
      if (changed) form.requestSubmit();
    };
    const listen = (event: Event): void => {
      const field = event.target;
      const isChoice = event.type === 'change' && field instanceof HTMLSelectElement;
      const leaves = event instanceof FocusEvent && event.type === 'focusout';
      const form = field instanceof Element ? field.closest('form') : null;
      if (form === null) return;
      const goesTo = leaves && event.relatedTarget instanceof Node ? event.relatedTarget : null;
      if (isChoice || (leaves && !form.contains(goesTo))) apply(form);
    };
    const element = box.current;
    element?.addEventListener('change', listen);
    element?.addEventListener('focusout', listen);
    return () => {
      element?.removeEventListener('change', listen);
      element?.removeEventListener('focusout', listen);
    };
  }, []);
  return box;
}

function Periods({ query, basis }: { readonly query: Query; readonly basis: Basis }) {
  const { from = '', to = '', city = '' } = query;
  const periods = periodsUntil(today(new Date(), basis, city));
  const current = periods.find((period) => period.from === from && period.to === to);
  return (
    <Tabs
      label="Period"
      current={current?.title ?? ''}
      tabs={periods.map((period) => ({
        value: period.title,
        title: period.title,
        href: hrefWith(query, { from: period.from, to: period.to }),
      }))}
    />
  );
}

function isUnknownActivity(fault: Error | null): boolean {
  return fault instanceof ApiError && fault.code === 'ACTIVITY_NOT_FOUND';
}

const TOO_MANY_REQUESTS = 429;

/** What failed, said once. A refusal stays one, however often it is asked: only other faults can be tried again. */
export function ReportFault({ of, retry }: { readonly of: Error | null; readonly retry: () => void }) {
  if (of === null || isUnknownActivity(of)) return null;
  if (!(of instanceof ApiError)) return <Fault of={of} retry={retry} />;
  const refused = of.status >= 400 && of.status < 500 && of.status !== TOO_MANY_REQUESTS;
  const once = of.details === of.message ? new ApiError(of.message, of.status, of.code, '') : of;
  return <Fault of={once} retry={refused ? undefined : retry} />;
}

/** The time of the data, in UTC. */
export function AsOf({ atMs }: { readonly atMs: number | undefined }) {
  if (atMs === undefined || Number.isNaN(atMs)) return null;
  return <p class="soft">As of {new Date(atMs).toISOString().slice(11, 19)} UTC</p>;
}
