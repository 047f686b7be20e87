import { serve } from '../app/serve.ts';
import { readConfig } from '../config.ts';
import { command } from './command.ts';

export const SERVE = command({
  name: 'serve',
  summary: 'Runs the service. This is the default command.',
  details: [
    'Without `EVENTSTORE_URL` and `MONGODB_URL`, one process does everything and stores its data in `DATA_DIR`. With them, any number of processes share the work.',
    'SIGTERM and SIGINT stop the service after it has answered the running requests. SIGHUP reads `TLS_CERT` and `TLS_KEY` again.',
  ],
  arguments: [],
  options: {
    roles: { type: 'string', value: 'LIST', meaning: 'What this process does; overrides `WAYMARK_ROLES`.' },
  },
  settings: 'all',
  exitCodes: {
    0: 'The service was stopped.',
    1: 'It could not start, or could not start again.',
    2: 'Invalid arguments.',
  },
  async run({ options: { roles } }) {
    const config = readConfig(roles === undefined ? process.env : { ...process.env, WAYMARK_ROLES: roles });
    const stopping = new AbortController();
    // npm forwards the signal to a group that got it already: the second one is ignored.
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => stopping.abort());
    await serve(config, stopping.signal);
    return 0;
  },
});
