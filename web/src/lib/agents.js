// What an agent is called by people and by the API: "gpt", or "gpt@1.2" where versions differ.
// Rows of a ranking that differ by their prompt have one name: versus compares prompt by prompt.
export const selectorOf = (row) => (row.agent_version ? `${row.agent_name}@${row.agent_version}` : row.agent_name);
export const selectorsOf = (rows) => [...new Set(rows.map(selectorOf))];
export const readable = (selector) => selector.replace("@", " ");
/** A cell as people read it: "sums, agent=gpt@1.2" is "sums, gpt 1.2". */
export const readableLabel = (label) => label.replace(/\bagent=([^,]+)/, (_, agent) => readable(agent));
