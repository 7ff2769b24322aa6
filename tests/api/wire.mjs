// wire.mjs - HTTP as bytes: what clients of Node would not send.
import net from 'node:net';

const REPLY_MAX = 64 << 20;

// The whole of a reply: what its length says, or its last chunk, or none of either; of a stream
// its head.
function isWhole(text) {
    const reply = parse(text);
    if (!reply) return false;
    const has = Buffer.byteLength(text.slice(text.indexOf('\r\n\r\n') + 4));
    const isEmpty = reply.status === 204 || reply.status === 304;
    if (isEmpty || reply.type === 'text/event-stream') return true;
    return reply.headers['transfer-encoding'] ? text.endsWith('\r\n0\r\n\r\n') : has >= Number(reply.headers['content-length'] ?? Infinity);
}

// Sends bytes and takes what comes back: a reply, or what there is when the other end closes.
// Rejects when that takes more than `limit_ms`; where `mayWait`, a request that is not whole, and
// for the rest of which the other end waits, gets nothing.
export function exchange(url, bytes, { limit_ms = 20000, isHead = false, mayWait = false } = {}) {
    const { hostname, port } = new URL(url);
    return new Promise((resolve, reject) => {
        const pieces = [];
        let size = 0;
        const socket = net.connect(Number(port), hostname);
        const end = () => { clearTimeout(timer); socket.destroy(); resolve(Buffer.concat(pieces).toString('utf8')); };
        const giveUp = () => { socket.destroy(); reject(new Error(`no end within ${limit_ms} ms`)); };
        let timer = setTimeout(() => {
            if (mayWait && size === 0) end();
            else timer = setTimeout(giveUp, limit_ms);
        }, mayWait ? 3000 : 0);
        socket.on('connect', () => socket.end(bytes));
        socket.on('data', (piece) => {
            pieces.push(piece);
            size += piece.length;
            const text = Buffer.concat(pieces).toString('utf8');
            if (size > REPLY_MAX || isWhole(text) || (isHead && parse(text))) end();
        });
        socket.on('end', end);
        socket.on('error', end); // a reset: what came before it counts
    });
}

function unchunk(text) {
    let rest = Buffer.from(text, 'utf8');
    const pieces = [];
    for (;;) {
        const line = rest.indexOf('\r\n');
        const size = line < 0 ? 0 : parseInt(rest.subarray(0, line).toString(), 16);
        if (!size) return Buffer.concat(pieces).toString('utf8');
        pieces.push(rest.subarray(line + 2, line + 2 + size));
        rest = rest.subarray(line + 4 + size);
    }
}

// Status, headers (names in lower case) and body; null if it is no reply at all.
export function parse(text) {
    const end = text.indexOf('\r\n\r\n');
    const first = /^HTTP\/1\.[01] (\d{3}) /.exec(text);
    if (!first || end < 0) return null;
    const headers = {};
    for (const line of text.slice(0, end).split('\r\n').slice(1)) {
        const colon = line.indexOf(':');
        headers[line.slice(0, colon).toLowerCase()] = line.slice(colon + 1).trim();
    }
    const rest = text.slice(end + 4);
    const body = headers['transfer-encoding'] === 'chunked' ? unchunk(rest) : rest;
    return { status: Number(first[1]), headers, type: (headers['content-type'] ?? '').split(';')[0], body };
}
