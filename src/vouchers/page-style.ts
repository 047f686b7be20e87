/**
 * The style sheet of the voucher page: dark on white without background colours, for phones from 360 pixels wide and for
 * one sheet of paper from A6 up. Uses system fonts.
 */
export const PAGE_STYLE = `
*{box-sizing:border-box}
:root{color-scheme:light;--ink:#14201f;--soft:#4b5957;--line:#c6d0ce;--accent:#0b5a55;--alarm:#9b1c1c}
html{-webkit-text-size-adjust:100%;text-size-adjust:100%}
body{margin:0;padding:1rem;background:#fff;color:var(--ink);
font:1rem/1.45 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",sans-serif}
main{max-width:44rem;margin:0 auto;border:1px solid var(--line);border-top:.375rem solid var(--accent);
border-radius:.75rem;overflow-wrap:anywhere}
:lang(ja){word-break:auto-phrase}
:lang(ko){word-break:keep-all}
h1,h2,p,dl,dd,figure{margin:0}
header,.entry,.details,.code,footer{padding:1.125rem 1.25rem}
header p{display:flex;justify-content:space-between;gap:1rem;color:var(--soft);font-size:.875rem}
header .kind{color:var(--accent);font-weight:600}
h1{margin-top:.375rem;font-size:1.5rem;line-height:1.25}
h1,figcaption,.stop{text-wrap:balance}
.entry,.details,.code{border-top:1px dashed var(--line)}
.entry{text-align:center}
.entry svg{display:block;max-width:100%;height:auto;margin:0 auto}
figcaption{margin-top:.25rem;font-weight:600}
.stop{margin:1.5rem auto;padding:1rem;border:.25rem solid var(--alarm);border-radius:.5rem;max-width:28rem}
.stop h2{color:var(--alarm);font-size:2rem;line-height:1.2;font-weight:800;text-transform:uppercase}
.stop .english{color:var(--alarm);font-size:1.25rem;font-weight:700;text-transform:uppercase;margin-bottom:.5rem}
.stop .when{margin-top:.5rem;color:var(--soft)}
dl{display:grid;align-content:start;grid-template-columns:1fr 1fr;gap:1rem 1.25rem}
dl>div{min-width:0}
.wide{grid-column:1/-1}
dt,.code h2{color:var(--soft);font-size:.8125rem;font-weight:400}
dd{font-weight:600}
dd.lines,small{font-weight:400}
small{display:block;color:var(--soft);font-size:.875rem}
.date dd{font-size:1.0625rem}
.lines{white-space:pre-line}
.count{white-space:nowrap}
.code p{margin:.25rem 0 .375rem;
font:600 1.0625rem/1.6 ui-monospace,"SF Mono",Menlo,Consolas,"Liberation Mono",monospace}
.code span{display:inline-block;margin-right:.55em}
.code .dash{margin-right:0}
footer{border-top:1px solid var(--line);color:var(--soft);font-size:.8125rem}
@media print,(min-width:38rem){
.sides{display:grid;grid-template-columns:20.5rem 1fr;border-top:1px dashed var(--line)}
.sides .entry,.sides .details{border-top:0}
.sides .details{border-left:1px dashed var(--line)}
.entry{align-self:center}
h1{font-size:1.75rem}
.date dd{font-size:1.25rem}
}
@media print{
@page{margin:10mm}
html{font-size:11pt}
body{padding:0}
main{max-width:none;break-inside:avoid}
.sides{grid-template-columns:72mm 1fr}
.entry svg{width:62mm}
}
@media print and (max-width:38rem){
html{font-size:9pt}
.sides{grid-template-columns:56mm 1fr}
.entry svg{width:50mm}
.stop h2{font-size:1.5rem}
.date dd{font-size:1.0625rem}
}
@media print and (max-width:27rem){
@page{margin:5mm}
html{font-size:7.5pt}
main{border:0;border-top:.375rem solid var(--accent);border-radius:0}
header,.entry,.details,.code,footer{padding:.75rem .25rem}
.sides{grid-template-columns:42mm 1fr}
.sides .details{padding-left:.75rem}
.entry svg{width:40mm}
h1{font-size:1.5rem}
dl{gap:.625rem 1rem}
}
`;
