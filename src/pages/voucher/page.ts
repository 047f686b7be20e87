/**
 * Starts the worker that keeps a copy of the voucher page on the phone. The page works without it: browsers without
 * workers, and pages without TLS, keep none.
 */
async function keepThisPage(): Promise<void> {
  const { serviceWorker } = navigator;
  await serviceWorker.register('/api/vouchers/worker.js', { scope: '/api/vouchers/' });
  // The worker has kept what it loaded itself.
  if (serviceWorker.controller !== null) return;
  const { active } = await serviceWorker.ready;
  active?.postMessage({ keep: `${location.pathname}${location.search}` });
}

if ('serviceWorker' in navigator) keepThisPage().catch(() => undefined);
