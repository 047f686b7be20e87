import { describe, expect, test } from 'bun:test';
import { destinations } from '../../../src/webhooks/destination.ts';

const production = destinations(true);
const development = destinations(false);
const NOT_PUBLIC = 'leads to an address that is not public';

const LOOPBACK = ['127.0.0.1', '127.255.255.254', '::1', '::ffff:127.0.0.1', '::ffff:7f00:1'];
const SPECIAL = `
  0.0.0.0 10.0.0.1 10.255.255.255 100.64.0.1 100.100.100.200 169.254.169.254 172.16.0.1 172.31.255.255
  192.0.0.192 192.0.2.1 192.88.99.1 192.168.0.1 198.18.0.1 198.51.100.1 203.0.113.1 224.0.0.1
  239.255.255.255 240.0.0.1 255.255.255.255 168.63.129.16 :: ::ffff:8.8.8.8 ::ffff:10.0.0.1 ::127.0.0.1
  64:ff9b::808:808 100::1 fc00::1 fd00:ec2::254 fe80::1 fec0::1 ff02::1 2001::1
  2001:db8::1 2002:7f00:1:: 3fff::1
`
  .trim()
  .split(/\s+/);
const PUBLIC = `
  1.1.1.1 8.8.8.8 9.255.255.255 11.0.0.0 100.63.255.255 100.128.0.0 126.255.255.255 128.0.0.0
  172.15.255.255 172.32.0.0 192.167.255.255 192.169.0.0 223.255.255.255 168.63.129.17 2606:4700:4700::1111 2a00:1450:4001:831::200e
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

  test.each(['', 'agent.example', '127.1', '1.1.1.1.'])('"%s" is none, and so is not permitted', (text) => {
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
    ['https://user@agent.example/', 'has a user name or password in it'],
    ['https://:secret@agent.example/', 'has a user name or password in it'],
    ['https://10.0.0.1/', NOT_PUBLIC],
    ['https://169.254.169.254/latest/meta-data', NOT_PUBLIC],
    ['https://[::ffff:10.0.0.1]/', NOT_PUBLIC],
    ['https://[fd00:ec2::254]/', NOT_PUBLIC],
  ])('%s is none: it %s', (url, fault) => {
    expect(development.faultOf(url)).toBe(fault);
  });

  test.each([
    ['decimal', 'https://2130706433/'],
    ['octal', 'https://0177.0.0.1/'],
    ['hexadecimal', 'https://0x7f000001/'],
    ['shortened', 'https://127.1/'],
    ['full-width', 'https://１２７.0.0.1/'],
    ['dotted at the end', 'https://127.0.0.1./'],
  ])('with an address that is %s is seen through', (_, url) => {
    expect(production.faultOf(url)).toBe(NOT_PUBLIC);
  });

  test.each(['https://localhost/', 'https://LOCALHOST./', 'https://api.localhost/'])(
    '%s is this machine, and no receiver in production',
    (url) => {
      expect([production.faultOf(url), development.faultOf(url)]).toEqual([
        'leads to the machine of the service itself',
        null,
      ]);
    },
  );

  test('whose name only ends like this machine is another one', () => {
    expect(production.faultOf('https://notlocalhost/')).toBeNull();
  });
});
