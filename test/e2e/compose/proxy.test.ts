import { describe, expect, test } from 'bun:test';
import { readSource } from '../../support/files.ts';
import { composeFile, secondsOf } from './compose-file.ts';
import { dockerfile, only, pairsOf } from './dockerfile.ts';

const { services } = composeFile();
const caddyfile = readSource('docs/deploy/Caddyfile').replaceAll(/^\s*#.*$/gm, '');
const apiNodes = Object.entries(services).filter(([, { command }]) => command?.join(' ') === 'serve --roles api');

describe('the proxy', () => {
  test('reads the file that is mounted', () => {
    expect(services['proxy']?.volumes?.[0]).toBe('./docs/deploy/Caddyfile:/etc/caddy/Caddyfile:ro');
  });

  test('sends to every API node, and to nothing else, at the port they listen on', () => {
    const port = pairsOf(only(dockerfile().image, 'ENV'))['PORT'];
    expect(apiNodes.length).toBe(3);
    expect(directive('reverse_proxy').split(' ').slice(0, -1)).toEqual(apiNodes.map(([name]) => `${name}:${port}`));
  });

  test('waits for every API node, and stands on their network', () => {
    expect(Object.keys(services['proxy']?.depends_on ?? {})).toEqual(apiNodes.map(([name]) => name));
    for (const [, { networks }] of apiNodes) expect(networks).toContain('front');
    expect(services['proxy']?.networks).toEqual(['front']);
  });

  test('speaks TLS 1.3 and nothing older, at the address that guests are told', () => {
    expect(directive('protocols')).toBe('tls1.3');
    expect(caddyfile).toContain('\n{$PUBLIC_URL} {\n');
    const told = new Set(
      ['proxy', ...apiNodes.map(([name]) => name)].map((name) => services[name]?.environment?.['PUBLIC_URL']),
    );
    expect([...told]).toEqual(['${PUBLIC_URL:-https://localhost}']);
  });

  test('sees a node stop before it stops: several looks at /readyz within STOP_DELAY_MS, each shorter than it', () => {
    expect(directive('health_uri')).toBe('/readyz');
    const lookMs = (secondsOf(directive('health_interval')) + secondsOf(directive('health_timeout'))) * 1000;
    for (const [, { environment }] of apiNodes) expect(Number(environment?.['STOP_DELAY_MS'])).toBeGreaterThan(lookMs);
  });

  test('has time to end in order', () => {
    expect(secondsOf(services['proxy']?.stop_grace_period ?? '')).toBeGreaterThan(secondsOf(directive('grace_period')));
  });
});

/** What follows the only line of the Caddyfile that begins with this name. */
function directive(name: string): string {
  const [line, ...others] = [...caddyfile.matchAll(new RegExp(`^\\s*${name} (.+)$`, 'gm'))];
  if (line?.[1] === undefined || others.length > 0) throw new Error(`there is not exactly one ${name}`);
  return line[1].trim();
}
