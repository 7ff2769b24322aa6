// validate.mjs URL REQUESTS TOKEN: the document at URL/openapi.json is OpenAPI 3.1, and what the
// server answers to each request fits what the document says of it. REQUESTS has one a line:
// operationId, target and, of a POST, its body; RUN stands for the run that was last named in
// X-Run-Id, TOKEN for the token, and `?last=ID` is sent as Last-Event-ID. Every operation must be
// answered once with every status that it promises.
import { readFileSync } from 'node:fs';
import { Validator } from '@seriousme/openapi-schema-validator';
import { describe, judge } from './schemas.mjs';

const [url, file, token] = process.argv.slice(2);
const api = await describe(url);
const checked = await new Validator().validate(structuredClone(api.document));
const problems = checked.valid ? [] : [JSON.stringify(checked.errors).slice(0, 2000)];
if (api.document.openapi !== '3.1.0') problems.push('not OpenAPI 3.1.0');
let run = 'none';

// Streams that do not end are left after their first bytes.
async function ask({ method, path }, target, body) {
    const headers = { 'X-Assay': '1', Authorization: `Bearer ${token}` };
    if (body) headers['Content-Type'] = 'application/json';
    const last = new URL(target, url).searchParams.get('last');
    if (last) headers['Last-Event-ID'] = last;
    const giveUp = new AbortController();
    const reply = await fetch(url + target.split('?last=')[0], {
        method: method.toUpperCase(), headers, body: body || undefined, redirect: 'manual', signal: giveUp.signal });
    const isEndless = path === '/benchmarks/events' && reply.status === 200;
    const text = isEndless ? '' : await reply.text();
    if (isEndless) giveUp.abort();
    run = reply.headers.get('x-run-id') ?? run;
    return { status: reply.status, type: (reply.headers.get('content-type') ?? '').split(';')[0], body: text, headers: reply.headers };
}

const answered = new Map([...api.operations.keys()].map((id) => [id, new Set()]));
for (const line of readFileSync(file, 'utf8').split('\n').filter(Boolean)) {
    const [id, target, ...rest] = line.replaceAll('RUN', run).replaceAll('TOKEN', token).split(' ');
    const found = api.operations.get(id);
    if (!found) { problems.push(`no operation ${id}`); continue; }
    const reply = await ask(found, target, rest.join(' '));
    const problem = judge(api, found, reply);
    if (problem) problems.push(problem);
    for (const name of Object.keys(found.operation.responses[reply.status]?.headers ?? {}))
        if (!reply.headers.get(name)) problems.push(`${id}: ${reply.status} without ${name}`);
    if (reply.status < 400) answered.get(id).add(String(reply.status));
    else if (!line.includes('wrong')) problems.push(`${id} ${target}: ${reply.status} ${reply.body}`);
}
// 304 is the same for all of them and has a test of its own; a store's stream ends with its server.
const rare = (id, status) => ['default', '304'].includes(status) || (id === 'watch_store' && status === '204');
for (const [id, { operation }] of api.operations)
    for (const status of Object.keys(operation.responses))
        if (!rare(id, status) && !answered.get(id).has(status)) problems.push(`${id} was not asked for ${status}`);
for (const problem of problems) console.error(problem);
console.log(`${api.operations.size} operations, ${problems.length} problems`);
process.exit(problems.length ? 1 : 0);
