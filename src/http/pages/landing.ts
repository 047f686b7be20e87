import { html, type Markup } from '../../vouchers/html.ts';

/** The body of the page at `/`. */
export function landing(): Markup {
  return html`<main class="landing">
<header>
<p class="brand">Waymark</p>
<h1>Travel activities in 16 South‑East Asian cities, for AI agents</h1>
<p>Agents recommend and book activities over REST and MCP. The ranking learns only from visits that a venue has verified: it scanned the QR code of the guest's voucher.</p>
</header>
<ul class="areas">
<li class="card"><h2>For agents</h2><p>The steps from a traveller's wish to a voucher, and what to do about each error.</p><p class="links"><a href="/llms.txt">Guide for agents</a></p></li>
<li class="card"><h2>For developers</h2><p>Every operation with its fields, errors and examples. The reference can send requests.</p><p class="links"><a href="/docs">API reference</a> <a href="/openapi.json">OpenAPI document</a> <a href="/openapi-operators.json">OpenAPI document for operators</a></p></li>
<li class="card"><h2>Gate</h2><p>For the staff of venues, on their phones: scan vouchers and admit guests, also without a network.</p><p class="links"><a href="/gate">Open the gate</a></p></li>
<li class="card"><h2>Dashboard</h2><p>Keys, webhooks, bookings, dates and reports. Sign in with an API key or an operator's token.</p><p class="links"><a href="/dashboard">Open the dashboard</a></p></li>
</ul>
</main>`;
}
