import { ALL_SETTINGS, type Environment } from '../config.ts';
import { didYouMean } from '../domain/nearest-name.ts';

/**
 * A warning for each variable that begins with WAYMARK_ and is not a setting, without its value. The command still runs:
 * Kubernetes sets variables such as WAYMARK_SERVICE_HOST for a service named waymark.
 */
export function unknownSettings(environment: Environment): string[] {
  const known = ALL_SETTINGS.map(({ name }) => name);
  const unknown = Object.keys(environment).filter((name) => name.startsWith('WAYMARK_') && !known.includes(name));
  return unknown.map((name) => {
    const nearest = didYouMean(name, known) || didYouMean(name.replace('WAYMARK_', ''), known);
    return `${name} is not a setting and is ignored${nearest}`;
  });
}
