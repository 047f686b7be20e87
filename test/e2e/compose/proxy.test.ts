import { describe, expect, test } from 'bun:test';
import { readSource } from '../../support/files.ts';
import { composeFile, secondsOf } from './compose-file.ts';
import { dockerfile, only, pairsOf } from './dockerfile.ts';

const { services } = composeFile();
const caddyfile = readSource('docs/deploy/Caddyfile').replaceAll(/^\s*#.*$/gm, '');
const apiNodes = Object.entries(services).filter(([, { command }]) => command?.join(' ') === 'serve --roles api');

describe('the proxy', () => {
  test('reads the mounted file', () => {
    expect(services['proxy']?.volumes?.[0]).toBe('./docs/deploy/Caddyfile:/etc/caddy/Caddyfile:ro');
  });

  test('sends requests to every API node, at its port, and to nothing else', () => {
    const port = pairsOf(only(dockerfile().image, 'ENV'))['PORT'];
    expect(apiNodes.length).toBe(3);
    expect(directive('reverse_proxy').split(' ').slice(0, -1)).toEqual(apiNodes.map(([name]) => `${name}:${port}`));
  });

  test('waits for every API node, and is on their network', () => {
    expect(Object.keys(services['proxy']?.depends_on ?? {})).toEqual(apiNodes.map(([name]) => name));
    for (const [, { networks }] of apiNodes) expect(networks).toContain('front');
    expect(services['proxy']?.networks).toEqual(['front']);
  });

  test('accepts only TLS 1.3, at PUBLIC_URL', () => {
    expect(directive('protocols')).toBe('tls1.3');
    expect(caddyfile).toContain('\n{$PUBLIC_URL} {\n');
    const addresses = new Set(
      ['proxy', ...apiNodes.map(([name]) => name)].map((name) => services[name]?.environment?.['PUBLIC_URL']),
    );
    expect([...addresses]).toEqual(['${PUBLIC_URL:-https://localhost}']);
  });

  test('checks /readyz several times within STOP_DELAY_MS, so that it notices a stop', () => {
    expect(directive('health_uri')).toBe('/readyz');
    const lookMs = (secondsOf(directive('health_interval')) + secondsOf(directive('health_timeout'))) * 1000;
    for (const [, { environment }] of apiNodes) expect(Number(environment?.['STOP_DELAY_MS'])).toBeGreaterThan(lookMs);
  });

  test('has enough time to stop', () => {
    expect(secondsOf(services['proxy']?.stop_grace_period ?? '')).toBeGreaterThan(secondsOf(directive('grace_period')));
  });
});

/** What follows the only line of the Caddyfile that begins with this name. */
function directive(name: string): string {
  const [line, ...others] = [...caddyfile.matchAll(new RegExp(`^\\s*${name} (.+)$`, 'gm'))];
  if (line?.[1] === undefined || others.length > 0) throw new Error(`there is not exactly one ${name}`);
  return line[1].trim();
}
