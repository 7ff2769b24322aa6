#include "report/style.h"

#include <stddef.h>

const char *const style_css[] = {
    ":root{color-scheme:light dark;--page:#fbfbf9;--card:#fff;--ink:#1d2329;--soft:#5c6670;"
    "--line:#e4e5e1;--grid:#ececea;--accent:#2b6cb0;--bars:#a9c7e6;--band:#dfeaf5;"
    "--warn:#8a5a00;--warn-page:#fff6e0;--bad:#b42318}\n",
    "@media(prefers-color-scheme:dark){:root{--page:#14171a;--card:#1b1f24;--ink:#dde2e7;"
    "--soft:#96a0aa;--line:#2c3238;--grid:#272c32;--accent:#7db4ea;--bars:#33516f;"
    "--band:#22303e;--warn:#e6b860;--warn-page:#2b2415;--bad:#f08a80}}\n",
    "*{box-sizing:border-box}\n",
    "body{margin:0;background:var(--page);color:var(--ink);"
    "font:16px/1.55 system-ui,-apple-system,'Segoe UI',Roboto,'DejaVu Sans',sans-serif}\n",
    "main{max-width:72rem;margin:0 auto;padding:2.5rem 1.25rem 4rem}\n",
    "h1{font-size:1.75rem;line-height:1.2;margin:0 0 .25rem;letter-spacing:-.01em;"
    "overflow-wrap:anywhere}\n",
    "h2{font-size:1.15rem;margin:2.75rem 0 .75rem}\n",
    "h3{font-size:.95rem;margin:1.25rem 0 .25rem;font-weight:600;overflow-wrap:anywhere}\n",
    "p{margin:.4rem 0;max-width:46rem}\n",
    ".soft,.sub{color:var(--soft)}\n",
    "h2+p{font-size:.9rem;margin:0 0 .75rem}\n",
    ".sub{font-size:.875rem;overflow-wrap:anywhere}\n",
    ".headline{font-size:1.05rem;margin:1.25rem 0 0;padding:0;list-style:none}\n",
    ".headline li{margin:.25rem 0;overflow-wrap:anywhere}\n",
    ".card{background:var(--card);border:1px solid var(--line);border-radius:10px;"
    "padding:1rem 1.1rem;overflow-x:auto}\n",
    "table{border-collapse:collapse;width:100%;font-size:.875rem;"
    "font-variant-numeric:tabular-nums}\n",
    "th,td{padding:.4rem .6rem;text-align:left;vertical-align:baseline;"
    "overflow-wrap:break-word}\n",
    "td{border-top:1px solid var(--line)}\n",
    "tr.more>td{border-top:0;padding-top:0;color:var(--soft)}\n",
    "th{font-weight:500;color:var(--soft);white-space:nowrap}\n",
    "th:first-child,td:first-child{padding-left:0}\n",
    "th:last-child,td:last-child{padding-right:0}\n",
    ".n{text-align:right;white-space:nowrap}\n",
    ".range{white-space:nowrap}\n",
    ".label{min-width:9rem;max-width:24rem;overflow-wrap:anywhere}\n",
    ".big{font-weight:600}\n",
    ".bad{color:var(--bad);font-size:.875rem}\n",
    ".warnings{list-style:none;margin:0;padding:.7rem 1rem;border-radius:10px;"
    "background:var(--warn-page);color:var(--warn);font-size:.9rem;overflow-wrap:anywhere}\n",
    ".warnings li{margin:.2rem 0}\n",
    ".row{display:grid;grid-template-columns:minmax(7rem,13rem) 1fr minmax(7rem,11rem);"
    "gap:0 1rem;align-items:center;padding:.2rem "
    "0;font-size:.875rem;font-variant-numeric:tabular-nums}\n",
    ".row>:first-child{overflow-wrap:anywhere}\n",
    ".row>:last-child{text-align:right;color:var(--soft)}\n",
    ".row b{color:var(--ink);font-weight:600;display:block}\n",
    "svg{display:block;width:100%;overflow:visible}\n",
    "svg path{vector-effect:non-scaling-stroke;fill:none}\n",
    "svg.dist{height:64px;margin:.35rem 0}svg.trials{height:110px}svg.ratio{height:24px}\n",
    ".grid{stroke:var(--grid)}\n",
    "svg .bars{fill:var(--bars)}svg .band{fill:var(--band)}\n",
    ".dots{stroke:var(--accent);stroke-width:4.5;stroke-linecap:round;stroke-opacity:.5}\n",
    ".whisker{stroke:var(--soft);stroke-width:1}\n",
    ".box{stroke:var(--soft);stroke-width:6;stroke-opacity:.45}\n",
    ".interval{stroke:var(--accent);stroke-width:6;stroke-linecap:butt}\n",
    ".median{stroke:var(--accent);stroke-width:1.5}\n",
    ".break{stroke:var(--warn);stroke-dasharray:4 4}\n",
    ".one{stroke:var(--soft);stroke-width:1.5}\n",
    "svg.ratio .interval{stroke-width:3}\n",
    ".point{stroke:var(--accent);stroke-width:10;stroke-linecap:round}\n",
    ".axis{position:relative;height:1.4rem;font-size:.75rem;color:var(--soft);"
    "grid-column:2}\n",
    ".axis span{position:absolute;transform:translateX(-50%);white-space:nowrap}\n",
    ".plots{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,24rem),1fr));"
    "gap:1rem}\n",
    ".plots h3{margin-top:0}\n",
    ".frame{display:grid;grid-template-columns:auto 1fr;gap:0 .6rem;font-size:.75rem;"
    "color:var(--soft);font-variant-numeric:tabular-nums}\n",
    ".frame .y{display:flex;flex-direction:column;justify-content:space-between;"
    "text-align:right}\n",
    ".frame .x{grid-column:2;display:flex;justify-content:space-between;margin-top:.3rem}\n",
    ".frame svg{border-left:1px solid var(--line);border-bottom:1px solid var(--line);"
    "overflow:visible}\n",
    "details{margin-top:.8rem;font-size:.875rem}\n",
    "summary{cursor:pointer;color:var(--accent);width:max-content;max-width:100%}\n",
    "summary:focus-visible{outline:2px solid var(--accent);outline-offset:3px}\n",
    "details>table,details>.scroll{margin-top:.6rem}\n",
    ".scroll{overflow:auto;max-height:20rem}\n",
    "dl{display:grid;grid-template-columns:max-content 1fr;gap:.2rem 1rem;margin:.3rem 0 0;"
    "font-size:.875rem}\n",
    "dt{color:var(--soft)}dd{margin:0;overflow-wrap:anywhere}\n",
    "pre{margin:0;white-space:pre-wrap;overflow-wrap:anywhere;"
    "font:.8125rem/1.5 ui-monospace,'DejaVu Sans Mono',monospace}\n",
    "@media(max-width:40rem){main{padding:1.5rem .9rem 3rem}"
    ".row{grid-template-columns:1fr auto;padding-top:.5rem}.row>svg,.row>.axis{grid-row:2;"
    "grid-column:1/-1}.row>:last-child:not(.axis){grid-column:2;grid-row:1}"
    ".row b{display:inline}.row>:last-child:not(.axis) span{display:none}"
    "dl{grid-template-columns:1fr}dd{margin-bottom:.4rem}}\n",
    "@media print{body{background:#fff}.card{border-color:#ccc}}\n",
    NULL,
};
