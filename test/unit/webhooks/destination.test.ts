import { describe, expect, test } from 'bun:test';
import { destinations } from '../../../src/webhooks/destination.ts';

const production = destinations(true);
const development = destinations(false);
const NOT_PUBLIC = 'leads to an address that is not public';

const LOOPBACK = ['127.0.0.1', '127.1.2.3', '127.255.255.254', '::1', '::ffff:127.0.0.1', '::ffff:7f00:1'];
const SPECIAL = `
  0.0.0.0 0.255.255.255 10.0.0.0 10.255.255.255 100.64.0.0 100.100.100.200 100.127.255.255
  169.254.0.0 169.254.169.254 169.254.255.255 172.16.0.0 172.31.255.255 192.0.0.0 192.0.0.192 192.0.0.255
  192.0.2.0 192.0.2.255 192.88.99.1 192.168.0.0 192.168.255.255 198.18.0.0 198.19.255.255 198.51.100.1 203.0.113.1
  224.0.0.0 239.255.255.255 240.0.0.0 255.255.255.255 168.63.129.16
  :: ::127.0.0.1 ::10.0.0.1 ::ffff:8.8.8.8 ::ffff:10.0.0.1 ::ffff:169.254.169.254 ::ffff:a9fe:a9fe ::ffff:0:127.0.0.1
  64:ff9b::8.8.8.8 64:ff9b::127.0.0.1 64:ff9b::a9fe:a9fe 64:ff9b:1::1 100::1
  fc00:: fd00:ec2::254 fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff fe80:: fe80::1%eth0 febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff
  fec0::1 ff02::1 2001::1 2001:db8::1 2002:7f00:1:: 2002:a00:1:: 2002:c0a8:101::1 2002:808:808:: 3fff::1 4000::1
`
  .trim()
  .split(/\s+/);
const PUBLIC = `
  1.1.1.1 8.8.8.8 9.255.255.255 11.0.0.0 100.63.255.255 100.128.0.0 126.255.255.255 128.0.0.0
  172.15.255.255 172.32.0.0 169.253.255.255 169.255.0.0 192.167.255.255
  192.169.0.0 198.17.255.255 198.20.0.0 223.255.255.255 168.63.129.17 2606:4700:4700::1111 2a00:1450:4001:831::200e
  2001:200::1 2400:cb00::1
`
  .trim()
  .split(/\s+/);

describe('an address', () => {
  test.each(PUBLIC)('%s is permitted everywhere', (address) => {
    expect([production.permits(address), development.permits(address)]).toEqual([true, true]);
  });

  test.each(SPECIAL)('%s is permitted nowhere', (address) => {
    expect([production.permits(address), development.permits(address)]).toEqual([false, false]);
  });

  test.each(LOOPBACK)('%s is permitted outside production', (address) => {
    expect([production.permits(address), development.permits(address)]).toEqual([false, true]);
  });

  test.each(['', 'agent.example', '127.1', '1.1.1.1.'])('"%s" is not an address, so it is not permitted', (text) => {
    expect([production.permits(text), development.permits(text)]).toEqual([false, false]);
  });
});

describe('a URL', () => {
  test.each([
    'https://agent.example/hooks?token=1',
    'https://agent.example:8443/',
    'https://8.8.8.8/',
    'https://[2606:4700:4700::1111]/',
  ])('%s is a receiver everywhere', (url) => {
    expect([production.faultOf(url), development.faultOf(url)]).toEqual([null, null]);
  });

  test.each(['http://agent.example/', 'http://127.0.0.1:3000/', 'http://[::1]/', 'http://localhost:4000/'])(
    '%s is one outside production',
    (url) => {
      expect([production.faultOf(url), development.faultOf(url)]).toEqual(['does not begin with https://', null]);
    },
  );

  test.each([
    ['agent.example', 'is not a URL'],
    ['ftp://agent.example/', 'begins neither with https:// nor with http://'],
    ['file:///etc/passwd', 'begins neither with https:// nor with http://'],
    ['https://user@agent.example/', 'contains a user name or password'],
    ['https://:secret@agent.example/', 'contains a user name or password'],
    ['https://10.0.0.1/', NOT_PUBLIC],
    ['https://169.254.169.254/latest/meta-data', NOT_PUBLIC],
    ['https://[::ffff:10.0.0.1]/', NOT_PUBLIC],
    ['https://[fd00:ec2::254]/', NOT_PUBLIC],
  ])('%s is refused: it %s', (url, fault) => {
    expect(development.faultOf(url)).toBe(fault);
  });

  /** Ways to write 127.0.0.1, and the address at which clouds tell a machine its secrets. */
  const DISGUISES = {
    decimal: ['2130706433', '2852039166'],
    octal: ['0177.0.0.1', '017700000001', '0251.0376.0251.0376'],
    hexadecimal: ['0x7f000001', '0x7f.0.0.1', '0X7F.0.0.1', '0xa9fea9fe', '0xa9.0xfe.0xa9.0xfe'],
    mixed: ['0x7f.0.1', '0251.254.0xa9fe'],
    shortened: ['127.1', '127.0.1', '169.254.43518', '0'],
    'full-width': ['１２７.0.0.1', '127。0。0。1', '①②⑦.0.0.1'],
    'percent-encoded': ['%31%32%37.0.0.1', '127%2e0%2e0%2e1'],
    'dotted at the end': ['127.0.0.1.', '2130706433.', '169.254.169.254.'],
    broken: ['127.\n0.0.1', '127.0.\t0.1'],
    mapped: ['[::ffff:127.0.0.1]', '[::ffff:7f00:1]', '[0:0:0:0:0:ffff:a9fe:a9fe]'],
    translated: ['[64:ff9b::127.0.0.1]', '[64:ff9b::a9fe:a9fe]', '[2002:7f00:1::]', '[2002:a9fe:a9fe::1]'],
    'of the other family': ['[::1]', '[0:0:0:0:0:0:0:1]', '[::]', '[::127.0.0.1]'],
  };
  test.each(Object.entries(DISGUISES))('with an address that is %s is recognised', (_, hosts) => {
    const faults = hosts.map((host) => [host, production.faultOf(`https://${host}/`)]);
    expect(faults).toEqual(hosts.map((host) => [host, NOT_PUBLIC]));
  });

  test.each([
    ['https://8.8.8.8@10.0.0.1/', 'contains a user name or password'],
    ['https://agent.example:443@10.0.0.1/', 'contains a user name or password'],
    ['https://%61gent@agent.example/', 'contains a user name or password'],
    ['HTTPS://10.0.0.1/', NOT_PUBLIC],
    ['\thttps:10.0.0.1', NOT_PUBLIC],
    ['https:\\\\10.0.0.1\\@agent.example/', NOT_PUBLIC],
    ['https://10.0.0.1#@agent.example/', NOT_PUBLIC],
    ['HTTP://agent.example/', 'does not begin with https://'],
    ['https://[fe80::1%25eth0]/', 'is not a URL'],
    ['https://256.0.0.1/', 'is not a URL'],
    ['https://', 'is not a URL'],
  ])('%j does not hide that it %s', (url, fault) => {
    expect(production.faultOf(url)).toBe(fault);
  });

  test('whose host only looks like an address is allowed', () => {
    expect(production.faultOf('https://agent.example\\@10.0.0.1/')).toBeNull();
    expect(production.faultOf('https://10.0.0.1.agent.example/')).toBeNull();
  });

  test.each(['https://localhost/', 'https://LOCALHOST./', 'https://api.localhost/'])(
    '%s is this machine, and no receiver in production',
    (url) => {
      expect([production.faultOf(url), development.faultOf(url)]).toEqual(['leads to the service itself', null]);
    },
  );

  test('whose name only ends in localhost is allowed', () => {
    expect(production.faultOf('https://notlocalhost/')).toBeNull();
  });
});
