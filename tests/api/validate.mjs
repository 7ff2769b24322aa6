// validate.mjs URL REQUESTS: the document at URL/openapi.json is OpenAPI 3.1, and what the
// server answers to each request fits what the document says of it. REQUESTS has one a line:
// operationId, target and, of a POST, its body. Every operation must be asked once.
import { readFileSync } from 'node:fs';
import { Validator } from '@seriousme/openapi-schema-validator';
import Ajv2020 from 'ajv/dist/2020.js';

const [url, file] = process.argv.slice(2);
const document = await (await fetch(url + '/openapi.json')).json();
const checked = await new Validator().validate(structuredClone(document));
let problems = checked.valid ? [] : [JSON.stringify(checked.errors).slice(0, 2000)];
if (document.openapi !== '3.1.0') problems.push('not OpenAPI 3.1.0');

const ajv = new Ajv2020({ strict: false, allErrors: true });
ajv.addSchema(document, 'api');
const pointer = (...parts) =>
    'api#' + parts.map((p) => '/' + encodeURIComponent(p.replaceAll('~', '~0').replaceAll('/', '~1'))).join('');

const operations = new Map();
for (const [path, methods] of Object.entries(document.paths))
    for (const [method, operation] of Object.entries(methods))
        operations.set(operation.operationId, { path, method, operation });

async function ask({ method }, target, body) {
    const headers = { 'X-Assay': '1' };
    if (body) headers['Content-Type'] = 'application/json';
    const reply = await fetch(url + target, { method: method.toUpperCase(), headers, body: body || undefined, redirect: 'manual' });
    return { status: reply.status, type: (reply.headers.get('content-type') ?? '').split(';')[0], text: await reply.text() };
}

function judge(id, { path, method, operation }, reply) {
    const known = String(reply.status) in operation.responses;
    if (!known && reply.type !== 'application/problem+json') return `${id}: status ${reply.status} is not described`;
    if (!known) {
        const fits = ajv.getSchema(pointer('components', 'schemas', 'problem'));
        return fits(JSON.parse(reply.text)) ? null : `${id}: ${reply.text}: ${ajv.errorsText(fits.errors)}`;
    }
    const content = operation.responses[reply.status].content ?? {};
    if (Object.keys(content).length === 0) return reply.text ? `${id}: a body that is not described` : null;
    const type = Object.keys(content).find((t) => t.split(';')[0] === reply.type);
    if (!type) return `${id}: ${reply.type} is not described`;
    if (!type.startsWith('application/json')) return null;
    const fits = ajv.getSchema(pointer('paths', path, method, 'responses', String(reply.status), 'content', type, 'schema'));
    return fits(JSON.parse(reply.text)) ? null : `${id}: ${ajv.errorsText(fits.errors).slice(0, 1000)}`;
}

const asked = new Set();
let successes = 0;
for (const line of readFileSync(file, 'utf8').split('\n').filter(Boolean)) {
    const [id, target, ...rest] = line.split(' ');
    const found = operations.get(id);
    if (!found) { problems.push(`no operation ${id}`); continue; }
    const reply = await ask(found, target, rest.join(' '));
    const problem = judge(id, found, reply);
    if (problem) problems.push(problem);
    if (reply.status < 400) { asked.add(id); successes++; }
    else if (!line.includes('wrong')) problems.push(`${id} ${target}: ${reply.status} ${reply.text}`);
}
for (const id of operations.keys()) if (!asked.has(id)) problems.push(`${id} was not asked`);
for (const problem of problems) console.error(problem);
console.log(`${operations.size} operations, ${successes} answers, ${problems.length} problems`);
process.exit(problems.length ? 1 : 0);
