// The frame: bar with the views, the view that the address names, keys and the footer.
import { Component } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { html } from "./lib/html.js";
import { when } from "./lib/format.js";
import { KEYS, useKeys } from "./lib/keys.js";
import { isSite, siteIndex } from "./lib/site.js";
import { switchTheme } from "./lib/theme.js";
import { link, setParams, useUrl } from "./lib/url.js";
import { Empty, Failed } from "./parts/state.js";
import { VIEWS } from "./views.js";

const Logo = () => html`<svg width="18" height="18" viewBox="0 0 18 18" aria-hidden="true" fill="none" stroke="currentColor" stroke-width="2" stroke-linecap="round">
  <path d="M2 9h14M2 5.5v7M16 5.5v7" /><circle cx="10.5" cy="9" r="3.6" fill="currentColor" stroke="none" />
</svg>`;

function Bar({ current, params }) {
  const tabs = useRef(null);
  useEffect(() => {
    const active = tabs.current.querySelector("[aria-current]");
    if (active) tabs.current.scrollLeft = active.offsetLeft - tabs.current.offsetLeft - 40;
  }, [current]);
  const kept = (view) => Object.fromEntries((view.keeps ?? []).map((k) => [k, params[k]]));
  return html`<div class="top"><div>
    <a class="brand" href=${link("")}><${Logo} />assay</a>
    <nav class="tabs" aria-label="Views" ref=${tabs}>
      ${VIEWS.filter((v) => v.tab).map(
        (v) => html`<a href=${link(v.path, kept(v))} data-word=${v.tab} aria-current=${v.path === current ? "page" : undefined}>${v.tab}</a>`,
      )}
    </nav>
    <div class="tools">
      <button class="btn" title="Switch between light and dark" onClick=${switchTheme}>Light / dark</button>
      ${!isSite && VIEWS.some((v) => v.path === "start") && html`<a class="btn primary" href=${link("start")}>Start a run</a>`}
    </div>
  </div></div>`;
}

/** An error in a view leaves the frame standing. */
class Guard extends Component {
  state = { error: null };
  componentDidCatch(error) {
    console.error(error);
    this.setState({ error });
  }
  componentDidUpdate(before) {
    if (before.at !== this.props.at && this.state.error) this.setState({ error: null });
  }
  render() {
    if (this.state.error) return html`<${Failed} error=${this.state.error} again=${() => this.setState({ error: null })} />`;
    return this.props.children;
  }
}

/** When a published copy was made, and what it holds. */
function Copied() {
  const [site, setSite] = useState(null);
  useEffect(() => {
    siteIndex(async (name) => (await fetch(name, { cache: "no-cache" })).json()).then(setSite, () => {});
  }, []);
  return site && html`<span>a copy of <time datetime=${site.made_at}>${when(site.made_at)}</time> by assay ${site.assay_version}: the newest ${site.runs} runs</span>`;
}

function Help({ box }) {
  return html`<dialog ref=${box} aria-label="Keys">
    <h2>Keys</h2>
    <dl class="kv">${KEYS.map(([key, does]) => html`<dt><kbd>${key}</kbd></dt><dd>${does}</dd>`)}
      <dt>arrows</dt><dd>points of a chart that has the focus</dd></dl>
    <form method="dialog"><button class="btn">Close</button></form>
  </dialog>`;
}

/** The heading is the title of the page: tabs and bookmarks then say the answer. */
function useTitle() {
  useEffect(() => {
    const read = () => {
      const heading = document.querySelector("main h1")?.textContent;
      if (heading) document.title = `${heading} · assay`;
    };
    const observer = new MutationObserver(read);
    observer.observe(document.getElementById("main"), { childList: true, subtree: true, characterData: true });
    return () => observer.disconnect();
  }, []);
}

export function App() {
  const { path, params } = useUrl();
  const view = VIEWS.find((v) => v.path === path);
  const help = useRef(null);
  const main = useRef(null);
  useTitle();
  useEffect(() => {
    main.current.focus({ preventScroll: true });
    scrollTo(0, 0);
  }, [path]);
  useKeys({
    "?": () => help.current.showModal(),
    d: switchTheme,
    t: () => setParams({ table: params.table ? "" : "all" }, { replace: true }),
    f: () => document.querySelector("[data-filters] button, main select")?.focus(),
  });
  return html`
    <a class="skip" href="#main" onClick=${(e) => (e.preventDefault(), main.current.focus())}>To the content</a>
    <${Bar} current=${view?.under ?? path} params=${params} />
    <main id="main" tabindex="-1" ref=${main}>
      <${Guard} at=${path}>
        ${view?.changes && isSite
          ? html`<${Empty} title="This is a published copy: it starts and changes nothing. Where the store is:" command=${"assay serve --open"} />`
          : view
          ? html`<${view.view} params=${params} key=${path} />`
          : html`<${Empty} title="This page has no view of that name."><a href=${link("")}>To the overview</a><//>`}
      <//>
    </main>
    <footer class="foot">
      <span>assay benchmarks agents, and says what the numbers are worth</span>
      <span>keys: <kbd>?</kbd></span>
      ${isSite ? html`<${Copied} />` : html`<a href="openapi.json">API</a>`}
    </footer>
    <${Help} box=${help} />
  `;
}
