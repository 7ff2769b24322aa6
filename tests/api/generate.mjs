// generate.mjs URL SECONDS TOKENS: requests made from what /openapi.json says of each operation,
// right, wrong and absurd, for that long. TOKENS is a JSON object of tokens by name; `theirs` is
// of another workspace, whose suite is called Hidden. Every request is answered, never by 500,
// as the document says, and never with something of the other workspace.
import fc from 'fast-check';
import { describe, judge } from './schemas.mjs';
import { exchange, parse } from './wire.mjs';

const [url, seconds, tokens_json] = process.argv.slice(2);
const tokens = JSON.parse(tokens_json);
const api = await describe(url);
const host = new URL(url).host;
const counts = {};

const word = fc.constantFrom('good', 'bad', 'good@1', 'good@', '@', 'echo', 'lines', 'latest', 'latest~1', 'latest~99999999999', 'branch:main',
    'branch:', 'duration_s', 'accuracy', 'overall', 'all', '7d', '-1d', '2026-11-01..2026-11-15', '..', '1e999', 'NaN', '-0', '', '0', '-1',
    '9223372036854775808', 'hidden', '../../etc/passwd', '/etc/passwd', 'suite.yaml', '%', '%00', '\u0000', "' OR 1=1 --", '"', '{}', '[]', 'true', 'x'.repeat(5000));
const text = fc.oneof({ weight: 3, arbitrary: word }, { weight: 1, arbitrary: fc.fullUnicodeString() }, { weight: 1, arbitrary: fc.string({ maxLength: 300 }) });

const names = { run_id: ['latest', 'latest~1'], run: ['latest'], with: ['latest'], agent_id: ['good', 'bad', 'good@1'], agent_ids: ['good', 'bad'], agent: ['good', 'bad'],
    a: ['good', 'bad'], b: ['good', 'bad'], suite_id: ['echo'], suite: ['echo'], metric: ['duration_s', 'accuracy'], timeframe: ['all', '7d', '2026-01-01..'] };
const mostly = (right, wrong) => fc.oneof({ weight: 12, arbitrary: right }, { weight: 1, arbitrary: wrong });
const called = (name, other) => (names[name] ? fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...names[name]) }, { weight: 1, arbitrary: other }) : other);

function fitting(schema, name, depth = 0) {
    const s = schema ?? {};
    if (s.$ref || depth > 4) return fc.jsonValue();
    if ('const' in s) return fc.constant(s.const);
    if (s.enum) return fc.constantFrom(...s.enum);
    const choices = s.oneOf ?? s.anyOf;
    if (choices) return fc.oneof(...choices.map((c) => fitting(c, name, depth + 1)));
    const type = Array.isArray(s.type) ? s.type[0] : s.type;
    if (type === 'integer') return fc.oneof(fc.integer({ min: Math.max(s.minimum ?? -5, -1e9), max: Math.min(s.maximum ?? 1e9, 1e9) }), fc.maxSafeInteger());
    if (type === 'number') return fc.oneof(fc.double({ min: s.minimum ?? 0, max: Math.min(s.maximum ?? 1e9, 1e9), noNaN: true }), fc.double());
    if (type === 'boolean') return fc.boolean();
    if (type === 'string') return called(name, text);
    if (type === 'array') return fc.array(fitting(s.items, name, depth + 1), { maxLength: 25 });
    if (s.properties) return fc.record(Object.fromEntries(Object.entries(s.properties).map(([k, v]) => [k, fitting(v, k, depth + 1)])), { requiredKeys: s.required ?? [] });
    return type === 'object' ? fc.dictionary(text, fc.jsonValue(), { maxKeys: 5 }) : fc.jsonValue();
}

function request({ id, path, method, operation }) {
    const named = operation.parameters ?? [];
    const inPath = named.filter((p) => p.in === 'path');
    const inQuery = named.filter((p) => p.in === 'query');
    const schema = operation.requestBody?.content['application/json'].schema;
    const record = fc.record({ task: text, duration: fc.oneof(fc.double(), text), success: fc.oneof(fc.boolean(), text), agent: text, metadata: fc.jsonValue() }, { requiredKeys: [] });
    const body = id === 'record' ? fc.oneof(record, fc.array(record, { maxLength: 20 })) : fitting(schema);
    return fc.record({
        id: fc.constant(id),
        method: mostly(fc.constant(method.toUpperCase()), fc.constantFrom('GET', 'POST', 'DELETE', 'HEAD', 'OPTIONS', 'PUT', 'PATCH')),
        path: fc.tuple(...inPath.map((p) => called(p.name, text))).map((values) => inPath.reduce((p, { name }, i) => p.replace(`{${name}}`, enc(values[i])), path)),
        query: fc.uniqueArray(mostly(inQuery.length ? fc.constantFrom(...inQuery).chain((p) => fitting(p.schema, p.name).map((v) => [p.name, v])) : fc.tuple(text, text), fc.tuple(text, text)), { maxLength: 3, selector: ([k]) => k }),
        body: method === 'post' ? fc.option(mostly(body, fc.jsonValue()), { freq: 10 }) : fc.constant(null),
        spoilt: mostly(fc.constant(null), fc.tuple(fc.nat(), fc.string({ maxLength: 5 }))),
        type: mostly(fc.constant('application/json'), fc.constantFrom('text/plain', 'application/json; charset=utf-8', 'application/x-www-form-urlencoded', '')),
        token: mostly(fc.constantFrom(...Object.keys(tokens)), fc.constantFrom('none', 'nonsense')),
        headers: mostly(fc.constant({}), fc.dictionary(fc.constantFrom('X-Assay', 'If-None-Match', 'Last-Event-ID', 'Origin', 'Cookie', 'Range', 'Accept-Encoding', 'Sec-Fetch-Site', 'X-Forwarded-For'),
            fc.oneof(fc.constantFrom('1', '*', `http://${host}`, 'null', 'bytes=0-1', 'cross-site', 'end'), fc.asciiString({ maxLength: 40 })), { minKeys: 1, maxKeys: 3 })),
        host: mostly(fc.constant(host), fc.constantFrom('evil.example', '', '127.0.0.1')),
    });
}

const enc = (v) => { try { return encodeURIComponent(typeof v === 'string' ? v : JSON.stringify(v)); } catch { return 'x'; } };
const visible = (v) => v.replace(/[^\x20-\x7e]/g, '');

function bytesOf(r) {
    const query = r.query.map(([k, v]) => `${enc(k)}=${enc(v)}`).join('&');
    const lines = [`${r.method} ${r.path}${query && '?' + query} HTTP/1.1`, `Host: ${r.host}`, 'Connection: close'];
    for (const [k, v] of Object.entries(r.headers)) lines.push(`${k}: ${visible(v)}`);
    if (r.token !== 'none') lines.push(`Authorization: Bearer ${tokens[r.token] ?? r.token}`);
    let body = r.body === null || r.body === undefined ? '' : JSON.stringify(r.body) ?? '';
    if (r.spoilt && body) body = body.slice(0, r.spoilt[0] % body.length) + r.spoilt[1] + body.slice(r.spoilt[0] % body.length);
    if (body || r.method === 'POST') lines.push(`Content-Length: ${Buffer.byteLength(body)}`);
    if (body && r.type) lines.push(`Content-Type: ${r.type}`);
    return lines.join('\r\n') + '\r\n\r\n' + body;
}

async function check(r) {
    const bytes = bytesOf(r);
    const reply = parse(await exchange(url, bytes, { isHead: r.method === 'HEAD' }));
    // What does not fit into 16 KiB of headers is not a request: the library closes it, or says so.
    const isTooLong = bytes.indexOf('\r\n\r\n') > 14000;
    if (!reply && isTooLong) return;
    if (!reply) throw new Error('no reply');
    counts[reply.status] = (counts[reply.status] ?? 0) + 1;
    if (r.token !== 'theirs' && /Hidden|shy/.test(reply.body)) throw new Error(`it tells of another workspace: ${reply.body.slice(0, 500)}`);
    if (isTooLong && [413, 414, 431].includes(reply.status)) return;
    if (reply.status === 503 && !reply.headers['retry-after']) throw new Error(`503: ${reply.body}`);
    if (reply.status === 500 || reply.status > 503) throw new Error(`${reply.status}: ${reply.body}`);
    const operation = api.operations.get(r.id);
    const isAsked = r.method.toLowerCase() === operation.method;
    if (r.method === 'HEAD' || reply.type === 'text/event-stream') return;
    if (!isAsked && reply.status < 400) return; // another operation of the path
    const problem = judge(api, operation, reply);
    if (problem) throw new Error(problem);
}

const any = fc.constantFrom(...api.operations.values()).chain(request);
const begun = Date.now();
const result = await fc.check(fc.asyncProperty(any, check), { numRuns: 1e9, interruptAfterTimeLimit: seconds * 1000, timeout: 60000 });
console.log(`${result.numRuns} requests in ${Math.round((Date.now() - begun) / 1000)} s, by status: ${JSON.stringify(counts)}`);
if (result.failed) {
    console.error(fc.defaultReportMessage(result));
    if (result.counterexample) console.error(bytesOf(result.counterexample[0]));
    process.exit(1);
}
process.exit(result.numRuns > 0 ? 0 : 1);
