// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace limber {

/// The look of report.html, light and dark; system fonts only.
inline constexpr std::string_view report_style = R"css(
:root{color-scheme:light dark;--page:#f6f7f8;--card:#fff;--ink:#1c2126;--soft:#5d6670;--rule:#e3e6ea;
--limit:#c2362b;--good:#1a7f4b;--warn:#9a6700;
--c0:#2a78d6;--c1:#e2682f;--c2:#16986a;--c3:#d99a00;--c4:#6a55c2;--c5:#d9463f;--c6:#c25a94;--c7:#3b8f2f;
--c8:#8b949e;--c9:#b9c0c8}
@media (prefers-color-scheme:dark){:root{--page:#14171a;--card:#1d2125;--ink:#e8eaed;--soft:#9aa4ae;
--rule:#31373d;--limit:#ff7b6b;--good:#4cc38a;--warn:#e3b341;
--c0:#4f9bef;--c1:#ef8450;--c2:#2fb886;--c3:#e0a92e;--c4:#9a8cf0;--c5:#ef6a63;--c6:#dd7db1;--c7:#5fb350;
--c8:#7d8690;--c9:#565e67}}
*{box-sizing:border-box}
body{margin:0 auto;max-width:1320px;padding:28px 20px 48px;background:var(--page);color:var(--ink);
font:15px/1.45 system-ui,-apple-system,"Segoe UI",sans-serif}
h1{font-size:1.55rem;margin:0 0 2px;overflow-wrap:anywhere}
h2{font-size:1.05rem;margin:28px 0 10px}
.sub{color:var(--soft);margin:0 0 18px;overflow-wrap:anywhere}
.chip{display:inline-block;border-radius:99px;padding:1px 10px;font-size:.82rem;font-weight:600;
border:1px solid currentColor;vertical-align:middle;margin-left:8px}
.done{color:var(--good)}.failed{color:var(--limit)}.interrupted{color:var(--warn)}
.note{border-left:4px solid var(--warn);background:var(--card);padding:8px 14px;margin:0 0 8px;
border-radius:4px;overflow-wrap:anywhere}
.note.failed{border-color:var(--limit)}
.tiles{display:grid;grid-template-columns:repeat(auto-fit,minmax(150px,1fr));gap:12px;margin-bottom:16px}
.tile,.card{background:var(--card);border:1px solid var(--rule);border-radius:10px}
.tile{padding:12px 14px}.tile b{display:block;font-size:1.35rem;font-variant-numeric:tabular-nums}
.tile span{color:var(--soft);font-size:.84rem}
.charts{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,460px),1fr));gap:14px}
.card{margin:0;padding:14px 16px 8px;min-width:0}.wide{margin-bottom:14px}
figcaption{font-weight:600;margin-bottom:6px}
figcaption small{display:block;font-weight:400;color:var(--soft);font-size:.82rem}
svg{display:block;width:100%;height:auto}
.grid{stroke:var(--rule)}.axis{stroke:var(--soft)}
.tick{fill:var(--soft);font-size:11px;font-variant-numeric:tabular-nums}
.curve{fill:none;stroke-width:1.6;stroke-linejoin:round;stroke-linecap:round}
.band{stroke-width:1;opacity:.38}
.limit{stroke:var(--limit);stroke-width:1.3;stroke-dasharray:5 4}
.limit-label{fill:var(--limit);font-size:11px;font-weight:600;paint-order:stroke;stroke:var(--card);
stroke-width:3px}
.legend{display:flex;flex-wrap:wrap;gap:4px 16px;font-size:.84rem;color:var(--soft);margin-bottom:4px}
.legend i,.stages i{display:inline-block;width:10px;height:10px;border-radius:2px;margin-right:6px}
.stages{border-collapse:collapse;width:100%;font-size:.88rem}
.stages td{padding:2px 8px 2px 0;white-space:nowrap}
.stages td:nth-child(n+2){text-align:right;font-variant-numeric:tabular-nums}
.stages td:last-child{width:60%;padding:2px 0}
.stages .bar{display:block;height:10px;border-radius:2px;min-width:1px}
.values{border-collapse:collapse;width:100%;font-size:.88rem}
.values td{border-top:1px solid var(--rule);padding:4px 10px 4px 0;vertical-align:top;
overflow-wrap:anywhere}
.values td:first-child{color:var(--soft);white-space:nowrap;width:1%;padding-right:28px}
)css";

}  // namespace limber
