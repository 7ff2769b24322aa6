// mutate.mjs URL SECONDS FOLDER: the requests in FOLDER, one a file, as zzuf changes their bits, for
// that long. Each gets a reply, never 500, or none if it is not whole; the server goes on answering others.
import { execFileSync } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import { exchange, parse } from './wire.mjs';

const [url, seconds, folder] = process.argv.slice(2);
const requests = readdirSync(folder).sort().map((name) => readFileSync(`${folder}/${name}`));
const end = Date.now() + seconds * 1000;
const counts = { none: 0 };
let seed = 0;

async function check(bytes) {
    const reply = parse(await exchange(url, bytes, { mayWait: true, isHead: bytes.toString('latin1').startsWith('HEAD ') }));
    const status = reply ? reply.status : 'none';
    counts[status] = (counts[status] ?? 0) + 1;
    if (reply && (reply.status === 500 || (reply.status === 503 && !reply.headers['retry-after'])))
        throw new Error(`${reply.status} ${reply.body}`);
}

async function send(request, at) {
    const ratio = String([0.0002, 0.001, 0.004, 0.02, 0.1][at % 5]);
    const bytes = execFileSync('zzuf', ['-s', String(at), '-r', ratio], { input: request });
    await check(bytes).catch((e) => { throw new Error(`zzuf -s ${at} -r ${ratio}: ${e.message}\n${JSON.stringify(bytes.toString('latin1'))}`); });
}

while (Date.now() < end) {
    await Promise.all(requests.map((request) => send(request, seed++)));
    const alive = await fetch(url + '/healthz', { signal: AbortSignal.timeout(20000) });
    if (alive.status !== 200) throw new Error(`/healthz: ${alive.status}`);
}
console.log(`${seed} requests, by status: ${JSON.stringify(counts)}`);
if (!counts[200] || seed < 1) { console.error('none was answered: nothing was tested'); process.exit(1); }
