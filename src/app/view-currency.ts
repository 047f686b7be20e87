import { devicesProjection } from '../../projections/devices/projection.ts';
import { endedSessionsProjection } from '../../projections/endedsessions/projection.ts';
import { keysProjection } from '../../projections/keys/projection.ts';
import { operatorsProjection } from '../../projections/operators/projection.ts';
import type { HttpContext } from '../http/context.ts';
import type { LiveView } from '../runtime/live-view.ts';
import type { Engines } from './engines.ts';
import type { LiveViews } from './live-views.ts';

/** The currency of the views by which requests are admitted. */
export function viewCurrency(
  { currencyOf }: Pick<Engines, 'currencyOf'>,
  { keys, devices, operators, endedSessions }: Pick<LiveViews, 'keys' | 'devices' | 'operators' | 'endedSessions'>,
): HttpContext['currency'] {
  const of = ({ categories }: { readonly categories: readonly string[] }, view: Pick<LiveView<object>, 'passed'>) =>
    currencyOf({ categories, passed: (position, timeoutMs) => view.passed(position, timeoutMs) });
  return {
    keys: of(keysProjection, keys),
    devices: of(devicesProjection, devices),
    operators: of(operatorsProjection, operators),
    endedSessions: of(endedSessionsProjection, endedSessions),
  };
}
