import { CURRENCIES } from '../../../domain/activity/money.ts';
import { PERMISSIONS, PLANS } from '../../../domain/apikey/apikey.ts';
import { WEBHOOK_EVENTS } from '../../../domain/delivery/delivery.ts';
import { MODES } from '../../../domain/ids.ts';
import { instantIn, type Values } from '../components/form.tsx';
import type { OneKey } from './types.ts';

/** The settings of a key as the texts of a form. Times are in UTC. */
export function textsOf(key: OneKey): Values {
  const { limits } = key;
  return {
    name: key.name,
    plan: key.plan,
    permissions: key.permissions.join(),
    webhook_url: key.webhook_url ?? '',
    webhook_events: key.webhook_events.join(),
    contact_email: key.contact_email ?? '',
    expires_at: key.expires_at?.slice(0, 'YYYY-MM-DDTHH:MM'.length) ?? '',
    ip_allowlist: key.ip_allowlist?.join(', ') ?? '',
    open_holds: textOf(limits.open_holds),
    unpaid_share: textOf(limits.unpaid_share),
    refundable_guests: textOf(limits.refundable_guests),
    booking_total: textOf(limits.booking_total),
    day_total: textOf(limits.day_total),
    currency: limits.currency ?? '',
    hotel_ids: key.hotel_ids.join(', '),
    exploration: key.exploration ? 'on' : '',
  };
}

/** What a form changes, for `PATCH /api/keys/{id}`: a setting whose text is as before is left out. */
export function changesIn(values: Values, before: Values) {
  const text = (name: string): string => values[name] ?? '';
  const changed = (...names: readonly string[]): boolean => names.some((name) => text(name) !== (before[name] ?? ''));
  const expires = text('expires_at');
  return {
    ...(changed('name') && { name: text('name') }),
    ...(changed('plan') && { plan: oneOf(PLANS, text('plan')) }),
    ...(changed('permissions') && { permissions: someOf(PERMISSIONS, text('permissions')) }),
    ...(changed('webhook_url') && { webhook_url: text('webhook_url') || null }),
    ...(changed('webhook_events') && { webhook_events: someOf(WEBHOOK_EVENTS, text('webhook_events')) }),
    ...(changed('contact_email') && { contact_email: text('contact_email') || null }),
    ...(changed('expires_at') && { expires_at: expires === '' ? null : instantIn(expires) }),
    ...(changed('ip_allowlist') && { ip_allowlist: text('ip_allowlist') === '' ? null : listOf(text('ip_allowlist')) }),
    ...(changed('hotel_ids') && { hotel_ids: listOf(text('hotel_ids')) }),
    ...(changed('exploration') && { exploration: text('exploration') === 'on' }),
    ...limitsIn(text, changed),
  };
}

const UNPAID = ['open_holds', 'unpaid_share', 'refundable_guests'] as const;
const SPENDING = ['booking_total', 'day_total', 'currency'] as const;

/** An amount needs its currency: the limits of spending are sent together. */
function limitsIn(text: (name: string) => string, changed: (...names: readonly string[]) => boolean) {
  if (!changed(...UNPAID, ...SPENDING)) return {};
  const limits = {
    ...(changed('open_holds') && { open_holds: numberOf(text('open_holds')) }),
    ...(changed('unpaid_share') && { unpaid_share: numberOf(text('unpaid_share')) }),
    ...(changed('refundable_guests') && { refundable_guests: numberOf(text('refundable_guests')) }),
  };
  if (!changed(...SPENDING)) return { limits };
  const currency = CURRENCIES.find((each) => each === text('currency'));
  const amounts = { booking_total: numberOf(text('booking_total')), day_total: numberOf(text('day_total')) };
  return { limits: { ...limits, ...amounts, ...(currency === undefined ? {} : { currency }) } };
}

/** A new key, for `POST /api/keys`. */
export function newKey({ name = '', mode, plan, permissions = '', webhook_events = '', ...values }: Values) {
  const { webhook_url, contact_email, expires_at } = values;
  return {
    name,
    mode: oneOf(MODES, mode),
    plan: oneOf(PLANS, plan),
    permissions: someOf(PERMISSIONS, permissions),
    webhook_events: someOf(WEBHOOK_EVENTS, webhook_events),
    ...(webhook_url === undefined ? {} : { webhook_url }),
    ...(contact_email === undefined ? {} : { contact_email }),
    ...(expires_at === undefined ? {} : { expires_at: instantIn(expires_at) }),
  };
}

function textOf(value: number | null): string {
  return value === null ? '' : String(value);
}

function numberOf(text: string): number | null {
  return text === '' ? null : Number(text);
}

function listOf(text: string): string[] {
  return text
    .split(',')
    .map((each) => each.trim())
    .filter((each) => each !== '');
}

/** @throws for a text that is none of the names: the form offers these only */
function oneOf<Name extends string>(names: readonly Name[], text: string | undefined): Name {
  const found = names.find((name) => name === text);
  if (found === undefined) throw new Error(`Choose one of ${names.join(', ')}.`);
  return found;
}

function someOf<Name extends string>(names: readonly Name[], text: string): Name[] {
  const chosen = new Set(listOf(text));
  return names.filter((name) => chosen.has(name));
}
