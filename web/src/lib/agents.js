// What an agent is called by people and by the API: "gpt", or "gpt@1.2" where versions differ.
export const selectorOf = (row) => (row.agent_version ? `${row.agent_name}@${row.agent_version}` : row.agent_name);
export const readable = (selector) => selector.replace("@", " ");
