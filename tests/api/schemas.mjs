// schemas.mjs - what a server says of itself, and whether a reply is as it says.
import Ajv2020 from 'ajv/dist/2020.js';

const pointer = (...parts) =>
    'api#' + parts.map((p) => '/' + encodeURIComponent(p.replaceAll('~', '~0').replaceAll('/', '~1'))).join('');

export async function describe(url) {
    const document = await (await fetch(url + '/openapi.json')).json();
    const ajv = new Ajv2020({ strict: false, allErrors: true });
    ajv.addSchema(document, 'api');
    const operations = new Map();
    for (const [path, methods] of Object.entries(document.paths))
        for (const [method, operation] of Object.entries(methods))
            operations.set(operation.operationId, { id: operation.operationId, path, method, operation });
    return { document, ajv, operations };
}

function unlike(ajv, where, text) {
    const fits = ajv.getSchema(where);
    let value;
    try {
        value = JSON.parse(text);
    } catch {
        return `not JSON: ${text.slice(0, 200)}`;
    }
    return fits(value) ? null : `${text.slice(0, 200)}: ${ajv.errorsText(fits.errors).slice(0, 1000)}`;
}

// What is wrong with a reply {status, type, body} of an operation; null: nothing.
export function judge({ ajv }, { id, path, method, operation }, { status, type, body }) {
    const isKnown = String(status) in operation.responses;
    if (!isKnown && type !== 'application/problem+json') return `${id}: status ${status} (${type}) is not described`;
    if (!isKnown) {
        const problem = status < 400 ? 'a problem that is none' : unlike(ajv, pointer('components', 'schemas', 'problem'), body);
        return problem && `${id}: ${status}: ${problem}`;
    }
    const content = operation.responses[status].content ?? {};
    if (Object.keys(content).length === 0) return body ? `${id}: ${status} has a body that is not described` : null;
    const described = Object.keys(content).find((t) => t.split(';')[0] === type);
    if (!described) return `${id}: ${status}: type '${type}' is not described`;
    if (described !== 'application/json') return null;
    const problem = unlike(ajv, pointer('paths', path, method, 'responses', String(status), 'content', described, 'schema'), body);
    return problem && `${id}: ${problem}`;
}
