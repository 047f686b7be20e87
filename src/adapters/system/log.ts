import pino from 'pino';
import type { Log } from '../../ports/log.ts';

/** Writes faults with message and stack, everything else unchanged. */
const serializers = { fault: (fault: unknown) => (fault instanceof Error ? pino.stdSerializers.err(fault) : fault) };

/** JSON lines on standard output, without worker threads. */
export function systemLog(level: string): Log {
  const logger = pino(
    { level, base: null, serializers, timestamp: pino.stdTimeFunctions.isoTime },
    pino.destination({ fd: 1, sync: true }),
  );
  return {
    info: (happening, facts = {}) => logger.info(facts, happening),
    warn: (happening, facts = {}) => logger.warn(facts, happening),
    error: (happening, facts = {}) => logger.error(facts, happening),
  };
}
