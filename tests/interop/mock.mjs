// aimock as the server for tests/interop/aimock_test.c: prints its port and
// serves until its standard input ends.
import { LLMock } from "@copilotkit/aimock";

const mock = new LLMock({ port: 0, logLevel: "silent" });
mock.onMessage("hello", { content: "Hi there, how can I help?" }, { chunkSize: 5 });
mock.onMessage("slowly", { content: "abcdefghij" }, {
  chunkSize: 2, streamingProfile: { ttft: 150, tps: 50, jitter: 0 },
});
mock.onMessage("counted", {
  content: "ok",
  usage: { prompt_tokens: 11, completion_tokens: 7, total_tokens: 18 },
});
mock.onMessage("weather", {
  toolCalls: [
    { name: "weather", arguments: '{"city":"Ulm","days":3}', id: "call_1" },
    { name: "clock", arguments: "{}", id: "call_2" },
  ],
}, { chunkSize: 4 });
mock.onMessage("forbidden", { error: { message: "not for you", type: "x" }, status: 403 });
mock.onMessage("broken", { error: { message: "out of order", type: "server_error" }, status: 500 });
mock.on({ userMessage: "busy", sequenceIndex: 0 },
  { error: { message: "slow down", type: "rate_limit_error" }, status: 429, retryAfter: 1 });
mock.onMessage("busy", { content: "now it works" });
mock.onMessage("cut", { content: "this text never comes to its end" },
  { chunkSize: 4, truncateAfterChunks: 3 });
mock.onTurn(1, "and then", { content: "second turn" });
mock.onMessage("and then", { content: "no history" });
await mock.start();
console.log(mock.port);
process.stdin.resume();
process.stdin.on("end", () => process.exit(0));
