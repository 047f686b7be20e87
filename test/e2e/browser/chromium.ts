import { type Browser, chromium } from 'playwright-core';

/**
 * Debian's chromium, told to talk to nobody but us.
 *
 * @param more further arguments
 */
export function openBrowser(more: readonly string[] = []): Promise<Browser> {
  return chromium.launch({
    executablePath: '/usr/bin/chromium',
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--disable-background-networking',
      '--disable-component-update',
      ...more,
    ],
  });
}
