import type { Log } from '../../src/ports/log.ts';

export type LogLine = {
  readonly level: 'info' | 'warn' | 'error';
  readonly happening: string;
  readonly facts: Readonly<Record<string, unknown>>;
};

/** A log that collects its lines, oldest first. */
export function collectedLog(): Log & { readonly lines: readonly LogLine[] } {
  const lines: LogLine[] = [];
  const at =
    (level: LogLine['level']) =>
    (happening: string, facts: Readonly<Record<string, unknown>> = {}): void => {
      lines.push({ level, happening, facts });
    };
  return { lines, info: at('info'), warn: at('warn'), error: at('error') };
}
