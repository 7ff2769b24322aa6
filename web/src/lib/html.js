// htm over preact: templates without a compiler, `class` as in HTML.
import { h } from "preact";
import htm from "htm";

export const html = htm.bind(h);
