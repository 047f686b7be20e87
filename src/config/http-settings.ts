import { ADDRESS_RANGES, anyText, CONTACT, HTTP_URL, integer, milliseconds, ON_OFF, ORIGINS, path } from './formats.ts';
import { optional, setting } from './setting.ts';

export const HTTP_SETTINGS = {
  'HTTP server': {
    port: setting('PORT', integer(0, 65_535), '3000', 'The port to listen on. 0 takes any free port.'),
    host: setting('HOST', anyText('host name or IP address'), '127.0.0.1', 'The address to listen on; `0.0.0.0`: all.'),
    publicUrl: optional(
      'PUBLIC_URL',
      HTTP_URL,
      'the listening address',
      'The address that guests and agents see. `qr_url` begins with it, and `/mcp` accepts its host name.',
    ),
    tls: {
      cert: optional(
        'TLS_CERT',
        path('PEM file'),
        'plain HTTP',
        'The certificate and its intermediates. With `TLS_KEY`, the service accepts TLS 1.3 only. SIGHUP reads both again.',
      ),
      key: optional('TLS_KEY', path('PEM file'), 'plain HTTP', 'The private key of `TLS_CERT`.'),
    },
    trustedProxies: setting(
      'TRUSTED_PROXIES',
      ADDRESS_RANGES,
      '',
      "The proxies in front of the service. It takes the caller's address from their `X-Forwarded-For`, and in production answers plain HTTP only to them.",
    ),
    corsOrigins: setting('CORS_ORIGINS', ORIGINS, '', 'Origins whose pages may call the API from a browser (CORS).'),
    hasPages: setting(
      'WAYMARK_PAGES',
      ON_OFF,
      'on',
      'Whether the service has pages for browsers: `/`, `/dashboard` and `/gate`. The API works without them; voucher pages belong to it.',
    ),
    supportContact: optional(
      'WAYMARK_SUPPORT_CONTACT',
      CONTACT,
      'pages and mails name none',
      'Where guests ask for help. Voucher pages, and pages about an error, show it.',
    ),
    wrongTokensPerMinute: setting(
      'WRONG_TOKENS_PER_MINUTE',
      integer(1, 1_000_000),
      '60',
      'Wrong bearer tokens, and unknown API and device keys, that one address may send in a row, and per minute after that.',
    ),
    stopDelayMs: setting(
      'STOP_DELAY_MS',
      milliseconds(0, 60_000),
      '0',
      'How long a stopping service still accepts requests after `/readyz` answers 503.',
    ),
  },
};
