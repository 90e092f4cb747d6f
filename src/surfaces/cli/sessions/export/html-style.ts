/** The looks of a page: light or dark as the reader's system wants it, and plain black on paper. */
export const PAGE_STYLE = `
:root { color-scheme: light dark; --text: #1f2328; --soft: #59636e; --line: #d1d9e0; --back: #fff; --block: #f6f8fa;
  --user: #0969da; --tool: #9a6700; }
@media (prefers-color-scheme: dark) {
  :root { --text: #e6edf3; --soft: #9198a1; --line: #3d444d; --back: #0d1117; --block: #151b23; --user: #4493f8;
    --tool: #d29922; }
}
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 60rem; padding: 1rem; color: var(--text); background: var(--back);
  font: 1rem/1.55 system-ui, sans-serif; }
h1, h2 { line-height: 1.25; overflow-wrap: anywhere; }
h3 { margin: 0 0 .4rem; font-size: .9rem; color: var(--soft); overflow-wrap: anywhere; }
h3 time { font-weight: normal; }
a { color: var(--user); }
nav li { margin: .2rem 0; overflow-wrap: anywhere; }
nav time, footer, .note { color: var(--soft); font-size: .85rem; }
article { margin: 2.5rem 0; padding-top: 1rem; border-top: 2px solid var(--line); }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .1rem 1rem; font-size: .85rem; }
dt { color: var(--soft); }
dd { margin: 0; overflow-wrap: anywhere; }
section { margin: 1rem 0; padding: .2rem 0 .2rem .9rem; border-left: 3px solid var(--line); }
section.user { border-left-color: var(--user); }
section.tool { border-left-color: var(--tool); }
.text { white-space: pre-wrap; overflow-wrap: anywhere; }
pre { margin: .4rem 0; padding: .6rem; background: var(--block); border: 1px solid var(--line); border-radius: 6px;
  white-space: pre-wrap; overflow-wrap: anywhere; font: .82rem/1.45 ui-monospace, monospace; }
summary { cursor: pointer; color: var(--soft); font-size: .85rem; }
figure { margin: .6rem 0; }
img { max-width: 100%; height: auto; }
figcaption { color: var(--soft); font-size: .8rem; overflow-wrap: anywhere; }
@media print {
  :root { --text: #000; --soft: #444; --line: #999; --back: #fff; --block: #fff; --user: #000; --tool: #000; }
  body { max-width: none; padding: 0; font-size: 10pt; }
  article { break-before: page; }
  h2, h3 { break-after: avoid; }
  figure { break-inside: avoid; }
  details::details-content { content-visibility: visible; block-size: auto; }
}
`;
