import "./lib/theme.js";
import "./style/tokens.css";
import "./style/base.css";
import "./style/parts.css";
import "./style/charts.css";
import "./style/views.css";
import { render } from "preact";
import { html } from "./lib/html.js";
import { App } from "./app.js";

render(html`<${App} />`, document.getElementById("app"));
