/**
 * The style sheet of the voucher page and of the pages that explain an error: light and dark, for phones from 320 pixels
 * wide and for one sheet of paper from A6 up. The QR code is always black on white. Text has at least 18 pixels on a
 * screen, because guests read it in sunlight. Uses system fonts.
 */
export const PAGE_STYLE = `
*{box-sizing:border-box}
:root{color-scheme:light dark;--paper:#fff;--ground:#eef2f1;--ink:#0e1817;--soft:#41504e;--line:#c6d0ce;
--accent:#0b5a55;--on-accent:#fff;--alarm:#9b1c1c;--note:#fff4d6;--small:1rem;--large:1.25rem}
@media (prefers-color-scheme:dark){:root{--paper:#17201f;--ground:#0d1413;--ink:#f2f6f5;--soft:#b4c2bf;--line:#3c4947;
--accent:#7fd4c9;--on-accent:#06201d;--alarm:#ff9d96;--note:#3a3013}}
html{font-size:112.5%;-webkit-text-size-adjust:100%;text-size-adjust:100%}
body{margin:0;padding:.5rem;background:var(--ground);color:var(--ink);
font:1rem/1.45 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",sans-serif}
main{max-width:46rem;margin:0 auto;background:var(--paper);border:1px solid var(--line);border-top:.375rem solid var(--accent);
border-radius:.75rem;overflow-wrap:anywhere}
:lang(ja){word-break:auto-phrase}
:lang(ko){word-break:keep-all}
h1,h2,p,dl,dd,figure,ul{margin:0}
a{color:var(--accent);text-underline-offset:.2em}
a:focus-visible{outline:.1875rem solid var(--accent);outline-offset:.1875rem}
header,.entry,.details,.code,.help,.languages,footer{padding:1rem}
header p{display:flex;justify-content:space-between;gap:1rem;color:var(--soft);font-size:var(--small)}
header .kind{color:var(--accent);font-weight:600}
h1{margin-top:.25rem;font-size:1.375rem;line-height:1.25}
h1,figcaption,.stop{text-wrap:balance}
.saved{padding:.75rem 1rem;background:var(--note);font-weight:600}
.entry,.details,.code,.help,.languages{border-top:1px dashed var(--line)}
.entry{text-align:center}
.entry .qr{max-width:25rem;margin:0 auto;padding:0;background:#fff;border-radius:.5rem;overflow:hidden}
.entry svg{display:block;width:100%;height:auto;margin:0 auto}
figcaption{margin-top:.5rem;font-weight:600;font-size:var(--large)}
.stop{margin:1rem auto;padding:1rem;border:.25rem solid var(--alarm);border-radius:.5rem;max-width:28rem}
.stop h2{color:var(--alarm);font-size:2rem;line-height:1.2;font-weight:800;text-transform:uppercase}
.stop .english{color:var(--alarm);font-size:1.25rem;font-weight:700;text-transform:uppercase;margin-bottom:.5rem}
.stop .when{margin:.5rem 0;color:var(--soft)}
.picture{display:block;width:100%;height:auto;aspect-ratio:3/2;border-radius:.5rem;background:var(--ground)}
.details>*+*{margin-top:1rem}
dl{display:grid;align-content:start;grid-template-columns:1fr 1fr;gap:1rem 1.25rem}
dl>div{min-width:0}
.wide{grid-column:1/-1}
dt,.code h2,.languages h2{color:var(--soft);font-size:var(--small);font-weight:400}
dd{font-weight:600}
dd.lines,small{font-weight:400}
small{display:block;color:var(--soft);font-size:var(--small)}
.date dd{font-size:var(--large)}
.lines{white-space:pre-line}
.count{white-space:nowrap}
.actions{display:grid;grid-template-columns:repeat(auto-fit,minmax(8rem,1fr));gap:.75rem}
.actions a{display:flex;align-items:center;justify-content:center;min-height:3.25rem;padding:.5rem .75rem;border-radius:.625rem;
background:var(--accent);color:var(--on-accent);font-weight:600;text-align:center;text-decoration:none;line-height:1.25}
.code p{margin:.25rem 0 .375rem;
font:600 1.0625rem/1.6 ui-monospace,"SF Mono",Menlo,Consolas,"Liberation Mono",monospace}
.code .short{font-size:1.5rem}
.code span{display:inline-block;margin-right:.55em}
.code .dash{margin-right:0}
.languages ul{display:flex;flex-wrap:wrap;gap:.25rem .5rem;margin-top:.25rem;padding:0;list-style:none}
.languages a{display:flex;align-items:center;min-height:2.75rem;padding:.25rem .625rem;border:1px solid var(--line);border-radius:.5rem;text-decoration:none}
.languages a[aria-current]{border-color:var(--accent);font-weight:600;box-shadow:inset 0 0 0 1px var(--accent)}
.help a{display:inline-flex;align-items:center;min-height:2.75rem;font-weight:600}
footer{border-top:1px solid var(--line);color:var(--soft);font-size:var(--small)}
@media print,(min-width:42rem){
.sides{display:grid;grid-template-columns:22rem 1fr;border-top:1px dashed var(--line)}
.sides .entry,.sides .details{border-top:0}
.sides .details{border-left:1px dashed var(--line)}
.entry{align-self:center}
h1{font-size:1.75rem}
}
@media print{
@page{margin:10mm}
:root{color-scheme:light;--paper:#fff;--ground:#fff;--ink:#14201f;--soft:#4b5957;--line:#c6d0ce;--accent:#0b5a55;
--alarm:#9b1c1c;--small:.8125rem;--large:1.125rem}
html{font-size:10pt}
body{padding:0}
main{max-width:none;break-inside:avoid}
.saved,.picture,.actions,.languages{display:none}
header,.entry,.details,.code,.help,footer{padding:.875rem 1.125rem}
.details>*+*{margin-top:.625rem}
dl{gap:.625rem 1.25rem}
.sides{grid-template-columns:72mm 1fr}
.entry svg{width:62mm}
}
@media print and (max-width:38rem){
html{font-size:7.8pt}
header,.entry,.details,.code,.help,footer{padding:.625rem 1rem}
dl{gap:.5rem 1rem}
.details>*+*{margin-top:.5rem}
.sides{grid-template-columns:56mm 1fr}
.entry svg{width:50mm}
.stop h2{font-size:1.5rem}
}
@media print and (max-width:27rem){
@page{margin:5mm}
html{font-size:6.4pt}
main{border:0;border-top:.375rem solid var(--accent);border-radius:0}
header,.entry,.details,.code,.help,footer{padding:.5rem .25rem}
.sides{grid-template-columns:38mm 1fr}
.sides .details{padding-left:.75rem}
.entry svg{width:36mm}
h1{font-size:1.5rem}
dl{gap:.375rem 1rem}
.details>*+*{margin-top:.375rem}
body{line-height:1.3}
}
`;
