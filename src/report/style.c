#include "report/style.h"

#include <stddef.h>

/* Colours by meaning, light first. A verdict never has colour alone: shape and word stand with
 * it. The dark set is written twice, for a dark system and for a page that was switched. */
#define DARK                                                                                  \
    "color-scheme:dark;--bg:#121418;--surface:#191c21;--sunken:#14171b;--hover:#20242a;"      \
    "--line:#2a2e35;--line-strong:#424852;--grid:#252930;--ink:#e9eaec;--ink-2:#b0b5be;"      \
    "--ink-3:#9298a2;--accent:#8db4ff;--better:#6cb6f5;--worse:#ff9a62;--worse-soft:#3a2115;" \
    "--warn:#f0c259;--warn-soft:#352a10;--data:#dfe2e6;--data-2:#7d848f;--interval:#555c68;"  \
    "--band:#8db4ff24;--bars:#3b4a60"

const char *const style_css[] = {
    ":root{color-scheme:light;--bg:#f7f7f5;--surface:#fff;--sunken:#f1f1ee;--hover:#f4f5f7;"
    "--line:#e3e3df;--line-strong:#c9c9c4;--grid:#ecece8;--ink:#191b1f;--ink-2:#50555e;"
    "--ink-3:#676c75;--accent:#1d4fb8;--better:#0b5fa8;--worse:#b13c06;--worse-soft:#fdebe1;"
    "--warn:#7d5700;--warn-soft:#fdf3d6;--data:#2b3038;--data-2:#8a8f98;--interval:#b7bcc6;"
    "--band:#1d4fb81c;--bars:#c3cfe4;--sans:Inter,-apple-system,BlinkMacSystemFont,'Segoe UI',"
    "Roboto,'Noto Sans','Liberation Sans',Arial,sans-serif;--mono:ui-monospace,'SF Mono',"
    "'Noto Sans Mono','DejaVu Sans Mono','Liberation Mono',Menlo,Consolas,monospace;"
    "--soft:var(--ink-2);--bad:var(--worse)}\n",
    ":root[data-theme=dark]{" DARK "}\n",
    "@media(prefers-color-scheme:dark){:root:not([data-theme=light]){" DARK "}}\n",
    "*{box-sizing:border-box}\n",
    "body{margin:0;background:var(--bg);color:var(--ink);font:13px/1.5 var(--sans);"
    "font-variant-numeric:tabular-nums;-webkit-text-size-adjust:100%}\n",
    "main{max-width:1208px;margin:0 auto;padding:24px 24px 48px;display:grid;gap:24px;"
    "grid-template-columns:minmax(0,1fr)}\n",
    "h1,h2,h3,p,ul,ol,dl,dd,pre{margin:0;padding:0}\n",
    "h1{font-size:24px;line-height:1.3;font-weight:600;letter-spacing:-.015em;max-width:47em;"
    "overflow-wrap:anywhere}h1 .q{color:var(--ink-2);font-weight:400}\n",
    "h2{font-size:16px;font-weight:600}\n",
    "h3{font-size:13px;font-weight:600;margin:16px 0 4px;overflow-wrap:anywhere}\n",
    "b,strong{font-weight:600}a{color:var(--accent)}code{font-family:var(--mono);font-size:"
    "12px}\n",
    ":focus-visible{outline:2px solid var(--accent);outline-offset:2px;border-radius:4px}\n",
    ".where{color:var(--ink-2);font-size:12px;display:flex;flex-wrap:wrap;gap:2px 12px}\n",
    ".answer{display:grid;gap:12px;padding-top:8px}\n",
    ".three{display:grid;grid-template-columns:repeat(3,minmax(0,1fr));border-top:1px solid "
    "var(--line);margin-top:8px;list-style:none}\n",
    ".three>li{padding:12px 24px 0 0}.three>li+li{padding-left:24px;border-left:1px solid "
    "var(--line)}.three h2{font-size:12px;font-weight:400;color:var(--ink-3)}"
    ".three p+p{color:var(--ink-2)}\n",
    ".soft,.sub{color:var(--ink-2)}.sub{font-size:12px;overflow-wrap:anywhere}\n",
    "section>p.soft{font-size:12px;color:var(--ink-2)}section>h2+p{margin:2px 0 8px}"
    "section>h2{margin-bottom:8px}section>h2:has(+p){margin-bottom:0}\n",
    ".headline{list-style:none;font-size:14px}.headline li{overflow-wrap:anywhere}\n",
    ".card{background:var(--surface);border:1px solid var(--line);border-radius:6px;"
    "padding:12px 16px;overflow-x:auto;min-width:0}\n",
    ".card.flush{padding:0}.head{display:flex;flex-wrap:wrap;gap:4px 12px;align-items:baseline;"
    "padding:12px 16px 8px}.head p{color:var(--ink-2);font-size:12px}.note{padding:8px 16px "
    "12px;font-size:12px;color:var(--ink-2);border-top:1px solid var(--line)}\n",
    "table{border-collapse:collapse;width:100%}\n",
    "th,td{padding:7px 10px;text-align:left;vertical-align:baseline}\n",
    "td{border-top:1px solid var(--line);overflow-wrap:break-word}\n",
    "th{font-weight:400;color:var(--ink-3);font-size:12px;white-space:nowrap}\n",
    "tr.more>td{border-top:0;padding-top:0;color:var(--ink-2)}\n",
    "th:first-child,td:first-child{padding-left:0}th:last-child,td:last-child{padding-right:0}"
    "\n",
    ".flush th:first-child,.flush td:first-child{padding-left:16px}"
    ".flush th:last-child,.flush td:last-child{padding-right:16px}\n",
    ".n{text-align:right;white-space:nowrap}.range{white-space:nowrap}.big{font-weight:600}\n",
    ".label{min-width:9rem;max-width:24rem;overflow-wrap:anywhere}\n",
    ".bad{color:var(--worse);font-size:12px}.tag{background:var(--warn-soft);color:var(--warn);"
    "border-radius:4px;padding:1px 6px;font-size:12px}\n",
    ".warnings{list-style:none;padding:10px 16px;border-radius:6px;background:var(--warn-soft);"
    "color:var(--warn);overflow-wrap:anywhere}\n",
    /* the board: dot and interval of each agent on one axis */
    ".board{padding:4px 16px 16px}.b-row,.b-axis{display:grid;grid-template-columns:12px 28px "
    "minmax(60px,150px) 1fr 140px 44px;gap:0 8px;align-items:center;min-height:34px}\n",
    ".b-row+.b-row{border-top:1px solid var(--grid)}.b-axis{min-height:20px;font-size:11px;"
    "color:var(--ink-3)}.b-row>:nth-child(2){text-align:right;font-weight:600}"
    ".b-row>:nth-child(3){font-weight:600;overflow-wrap:anywhere}\n",
    ".b-row>:nth-child(6),.b-axis>:nth-child(6){text-align:right}.b-row "
    "small{font-size:11px}\n",
    ".tie{align-self:stretch;border-left:1.5px solid var(--ink-2);margin:0 0 0 4px}"
    ".tie.t{border-top:1.5px solid var(--ink-2);border-top-left-radius:4px;margin-top:9px}"
    ".tie.e{border-bottom:1.5px solid var(--ink-2);border-bottom-left-radius:4px;"
    "margin-bottom:9px}.ties{align-self:stretch;display:flex}.ties>*{flex:1}"
    ".ties>.tie{margin-left:2px}\n",
    ".track{position:relative;height:24px;margin-right:24px}.track "
    "i{position:absolute;top:0;bottom:0;width:1px;"
    "background:var(--grid)}.track u{position:absolute;top:8px;height:5px;border-radius:3px;"
    "background:var(--interval)}.track b{position:absolute;top:6px;width:9px;height:9px;"
    "margin-left:-4.5px;border-radius:50%;background:var(--data);border:1px solid "
    "var(--surface)}.track s{position:absolute;top:13px;font-size:8px;line-height:10px;"
    "margin-left:-4px;color:var(--data-2);text-decoration:none}"
    ".b-axis .track{height:16px}.b-axis .track span{position:absolute;"
    "transform:translateX(-50%)}\n",
    /* what is below the first screen is laid out when it is scrolled to */
    "main>section:nth-of-type(n+2){content-visibility:auto;contain-intrinsic-size:auto "
    "640px}\n",
    /* cases x agents */
    ".cols{display:grid;gap:24px;grid-template-columns:minmax(0,1fr);align-items:start}\n",
    ".grid-wrap{overflow:auto;max-height:min(80vh,60rem);border-top:1px solid var(--line)}\n",
    "table.grid{font-size:12px;table-layout:fixed}"
    "table.top{position:sticky;top:0;z-index:4}.part{content-visibility:auto;"
    "contain-intrinsic-size:auto 1800px}"
    ".grid th{position:sticky;top:0;"
    "background:var(--surface);z-index:2;padding:6px 10px;box-shadow:0 1px 0 var(--line)}"
    ".grid th,.grid td{vertical-align:top}\n",
    ".grid td{border-left:1px solid var(--line);padding:6px 10px}"
    ".grid td:first-child,.grid th:first-child{position:sticky;left:0;"
    "background:var(--surface);border-left:0;z-index:1}.js .grid code{display:-webkit-box;"
    "-webkit-box-orient:vertical;-webkit-line-clamp:4;overflow:hidden}.js .grid i{float:left;"
    "margin-right:4px}"
    ".grid th:first-child{z-index:3}\n",
    ".grid code{white-space:pre-wrap;overflow-wrap:anywhere;word-break:break-word}"
    ".grid small{display:block;color:var(--ink-2);font-size:11px;overflow-wrap:anywhere}"
    ".grid i{font-style:normal;color:var(--better)}.grid .x{background:var(--worse-soft)}"
    ".js .grid .o code{-webkit-line-clamp:2}.grid .o,.grid .o i{color:var(--ink-2)}.grid .x "
    "i{color:var(--worse);font-weight:600}.grid u{text-decoration-color:var(--worse);"
    "text-underline-offset:2px;color:var(--worse);font-weight:600}\n",
    ".grid .g td{background:var(--sunken);border-left:0;position:static;padding:5px 16px}"
    ".grid button{font:inherit;font-weight:600;color:var(--accent);background:none;border:0;"
    "padding:0;text-align:left;cursor:pointer;overflow-wrap:anywhere}\n",
    "table.marks{width:auto;font-size:12px}.marks th,.marks td{padding:2px 8px;"
    "text-align:center;border-left:1px solid var(--line)}.marks td:first-child,"
    ".marks th:first-child{text-align:left;font-weight:600;border-left:0;white-space:nowrap}"
    ".marks td{color:var(--ink-3)}.marks td.x{background:var(--worse-soft);color:var(--worse);"
    "font-weight:600}.marks td:first-child{color:var(--ink)}\n",
    ".chips{display:flex;flex-wrap:wrap;gap:6px;padding:0 16px 10px}.chip{font:inherit;"
    "font-size:12px;line-height:18px;color:var(--ink-2);background:var(--surface);border:1px "
    "solid var(--line-strong);border-radius:999px;padding:4px 10px;cursor:pointer}"
    ".chip b{color:var(--ink)}.chip[aria-pressed=true],.chip[aria-pressed=true] b{background:"
    "var(--ink);border-color:var(--ink);color:var(--surface)}html:not(.js) .chips{display:none}"
    "html:not(.js) .grid button{color:var(--ink);cursor:text}\n",
    "dialog{border:1px solid var(--line-strong);border-radius:6px;background:var(--surface);"
    "color:var(--ink);width:min(1100px,94vw);max-height:90vh;padding:0}dialog::backdrop{"
    "background:#0008}dialog header{display:flex;gap:12px;align-items:baseline;padding:12px "
    "16px;border-bottom:1px solid var(--line);position:sticky;top:0;background:var(--surface)}"
    "dialog header button{margin-left:auto}dialog h3{margin:12px 16px 2px;font-size:12px;"
    "color:var(--ink-2);font-weight:400}dialog pre{margin:0 16px 8px;background:var(--sunken);"
    "padding:8px 10px;border-radius:4px;max-height:22rem;overflow:auto}\n",
    /* rows of charts */
    ".row{display:grid;grid-template-columns:minmax(7rem,13rem) 1fr minmax(7rem,11rem);"
    "gap:0 16px;align-items:center;padding:3px 0}.row>:first-child{overflow-wrap:anywhere}"
    ".row>:last-child{text-align:right;color:var(--ink-2)}.row b{color:var(--ink);"
    "display:block}\n",
    "svg{display:block;width:100%;overflow:visible}svg path{vector-effect:non-scaling-stroke;"
    "fill:none}svg.dist{height:64px;margin:6px 0}svg.trials{height:110px}svg.ratio{"
    "height:24px}path.grid{stroke:var(--grid)}\n",
    "svg .bars{fill:var(--bars)}svg .band{fill:var(--band)}.dots{stroke:var(--data);"
    "stroke-width:4;stroke-linecap:round;stroke-opacity:.4}.whisker{stroke:var(--ink-3);"
    "stroke-width:1}.box{stroke:var(--data-2);stroke-width:6;stroke-opacity:.45}\n",
    ".interval{stroke:var(--accent);stroke-width:6;stroke-linecap:butt}.median{"
    "stroke:var(--accent);stroke-width:1.5}.break{stroke:var(--warn);stroke-dasharray:4 4}"
    ".one{stroke:var(--ink-3);stroke-width:1.5}svg.ratio .interval{stroke-width:3}"
    ".point{stroke:var(--accent);stroke-width:10;stroke-linecap:round}\n",
    ".axis{position:relative;height:22px;font-size:11px;color:var(--ink-3);grid-column:2}"
    ".axis span{position:absolute;transform:translateX(-50%);white-space:nowrap}\n",
    ".plots{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,24rem),1fr));"
    "gap:16px}.plots h3{margin-top:0}.frame{display:grid;grid-template-columns:auto 1fr;gap:0 "
    "10px;font-size:11px;color:var(--ink-3)}.frame .y{display:flex;flex-direction:column;"
    "justify-content:space-between;text-align:right}.frame .x{grid-column:2;display:flex;"
    "justify-content:space-between;margin-top:5px}.frame svg{border-left:1px solid "
    "var(--line);border-bottom:1px solid var(--line)}\n",
    "details{margin-top:10px}summary{cursor:pointer;color:var(--accent);width:max-content;"
    "max-width:100%}details>table,details>.scroll{margin-top:10px}.scroll{overflow:auto;"
    "max-height:20rem}details ul{padding-left:18px}\n",
    "dl{display:grid;grid-template-columns:max-content 1fr;gap:3px 16px}dt{color:var(--ink-3)}"
    "dd{overflow-wrap:anywhere}pre{white-space:pre-wrap;overflow-wrap:anywhere;font:12px/1.5 "
    "var(--mono)}\n",
    "@media(max-width:720px){body{font-size:14px}main{padding:16px;gap:16px}h1{font-size:20px}"
    ".three{grid-template-columns:1fr}.three>li,.three>li+li{padding:8px 0;border-left:0}"
    ".three>li+li{border-top:1px solid var(--line)}.b-row,.b-axis{grid-template-columns:10px "
    "22px minmax(0,1fr) auto auto;padding:4px "
    "0}.b-row>:nth-child(n+5){white-space:nowrap}.b-row .track,.b-axis "
    ".track{grid-column:3/-1;grid-row:2}"
    ".b-row>:nth-child(5){text-align:right}.b-row>:nth-child(6){grid-row:1;grid-column:5}"
    ".b-axis>:nth-child(n+5){display:none}.b-row>:first-child{grid-row:1/3}\n",
    "table.fold,.fold tbody,.fold tr,.fold td{display:block}.fold thead{display:none}.fold tr{"
    "display:grid;grid-template-columns:repeat(3,1fr);gap:4px 8px;padding:10px 16px;border-top:"
    "1px solid var(--line)}.fold td,.flush .fold td:first-child{border:0;padding:0;"
    "text-align:left}.fold td:first-child{grid-column:1/-1}.fold td[data-label]::before{"
    "content:attr(data-label);display:block;font-size:11px;color:var(--ink-3)}\n",
    ".b-row .track,.b-axis .track{margin-right:8px}"
    ".chip{padding:7px 12px}.row{grid-template-columns:1fr auto;padding-top:8px}.row>svg,"
    ".row>.axis{grid-row:2;grid-column:1/-1}.row>:last-child:not(.axis){grid-column:2;"
    "grid-row:1}.row b{display:inline}.row>:last-child:not(.axis) span{display:none}"
    "dl{grid-template-columns:1fr}dd{margin-bottom:6px}}\n",
    "@media print{body{background:#fff}.chips{display:none}.grid-wrap{max-height:none;"
    "overflow:visible}}\n",
    NULL,
};
