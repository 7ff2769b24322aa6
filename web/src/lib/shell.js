// Words of a command as a shell reads them.
export const quoted = (text) => (/^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);

/** A command that can be pasted. */
export const commandLine = (words) => words.map(quoted).join(" ");
