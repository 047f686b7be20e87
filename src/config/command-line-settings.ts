import { API_KEY, HTTP_URL } from './formats.ts';
import { optional } from './setting.ts';

export const COMMAND_LINE_SETTINGS = {
  'Command line': {
    serviceUrl: optional(
      'WAYMARK_URL',
      HTTP_URL,
      'the address that the service wrote to `DATA_DIR`',
      'The running service that `waymark rebuild`, `journey`, `mcp` and `listen` call.',
    ),
    apiKey: optional('WAYMARK_API_KEY', API_KEY, 'none', 'The API key of `waymark mcp` and `listen`.'),
  },
};
