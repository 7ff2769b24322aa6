// A token is exchanged for a session's cookie, which no script can read.
import { useState } from "preact/hooks";
import { html } from "../lib/html.js";
import { send } from "../lib/api.js";

export function LogIn({ again }) {
  const [problem, setProblem] = useState(null);
  const submit = async (event) => {
    event.preventDefault();
    try {
      await send("POST", "/session", { token: new FormData(event.target).get("token").trim() });
      again?.();
    } catch (error) {
      setProblem(error.title);
    }
  };
  return html`<form class="card empty" onSubmit=${submit}>
    <b>This server wants to know who asks.</b>
    <label class="field">Token<input class="btn" type="password" name="token" autocomplete="current-password" required size="44" /></label>
    ${problem && html`<span role="alert" data-name="">${problem}</span>`}
    <button class="btn primary">Log in</button>
    <span class="small">A token that may read is made on the server by <code>assay tokens new --role read NAME</code>.</span>
  </form>`;
}
