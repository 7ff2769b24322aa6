// The official client against `assay stub`: node client.mjs URL TEST
import assert from "node:assert/strict";
import OpenAI from "openai";

const [url, test] = process.argv.slice(2);
const client = new OpenAI({ baseURL: url, apiKey: process.env.KEY ?? "none", maxRetries: 0 });
const ask = (content, more = {}) =>
  client.chat.completions.create({
    model: "stub", messages: [{ role: "user", content }], ...more,
  });

const tests = {
  async whole() {
    const reply = await ask("What is 2+3?", { max_tokens: 4 });
    assert.equal(reply.object, "chat.completion");
    assert.equal(reply.model, "stub");
    const [choice] = reply.choices;
    assert.equal(choice.message.role, "assistant");
    assert.equal(choice.message.content.split(" ").length, 4);
    assert.equal(choice.finish_reason, "length");
    assert.deepEqual(reply.usage, { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 });
  },
  async stream() {
    const options = { max_tokens: 6, stream: true, stream_options: { include_usage: true } };
    let text = "";
    let tokens = 0;
    let finish;
    let usage;
    for await (const chunk of await ask("What is 2+3?", options)) {
      const choice = chunk.choices[0];
      if (choice?.delta.content) tokens++;
      text += choice?.delta.content ?? "";
      finish = choice?.finish_reason ?? finish;
      usage = chunk.usage ?? usage;
    }
    const whole = await ask("What is 2+3?", { max_tokens: 6 });
    assert.equal(text, whole.choices[0].message.content);
    assert.equal(tokens, 6);
    assert.equal(finish, "length");
    assert.deepEqual(usage, whole.usage);
  },
  async tools() {
    const whole = await ask("the weather, please");
    const runner = client.chat.completions.stream({
      model: "stub", messages: [{ role: "user", content: "the weather, please" }],
    });
    const streamed = await runner.finalChatCompletion();
    for (const reply of [whole, streamed]) {
      assert.equal(reply.choices[0].finish_reason, "tool_calls");
      const [call] = reply.choices[0].message.tool_calls;
      assert.equal(call.function.name, "weather");
      assert.deepEqual(JSON.parse(call.function.arguments), { city: "Ulm" });
    }
  },
  async embeddings() {
    const input = ["the cat sat", "a cat sat", "rates rose"];
    const get = (more) => client.embeddings.create({ model: "stub", input, ...more });
    const coded = await get(); // the client asks for base64 and decodes it
    const plain = await get({ encoding_format: "float" });
    assert.equal(coded.data.length, 3);
    assert.equal(coded.data[0].embedding.length, 256);
    const dot = (a, b) => a.reduce((sum, x, i) => sum + x * b[i], 0);
    coded.data.forEach((item, i) => {
      assert.ok(Math.abs(dot(item.embedding, plain.data[i].embedding) - 1) < 1e-6);
    });
    const [a, b, c] = plain.data.map((item) => item.embedding);
    assert.ok(dot(a, b) > dot(a, c));
    const small = await get({ dimensions: 16 });
    assert.equal(small.data[0].embedding.length, 16);
  },
  async models() {
    const models = await client.models.list();
    assert.deepEqual(models.data.map((m) => m.id), ["stub"]);
  },
  async errors() {
    await assert.rejects(client.chat.completions.create({ model: "stub", messages: [] }),
      (e) => e instanceof OpenAI.BadRequestError && /messages/.test(e.message));
    await assert.rejects(ask("x", { n: 2 }), OpenAI.BadRequestError);
    await assert.rejects(client.files.list(), OpenAI.NotFoundError);
    await assert.rejects(client.embeddings.create({ model: "stub", input: [] }),
      OpenAI.BadRequestError);
  },
  async refused() {
    await assert.rejects(ask("x"), OpenAI.AuthenticationError);
  },
  async accepted() {
    assert.ok((await ask("x")).choices[0].message.content);
  },
  async failing() {
    await assert.rejects(ask("x"), (e) => e instanceof OpenAI.InternalServerError && e.status === 503);
    await assert.rejects(ask("x", { stream: true }), OpenAI.InternalServerError);
  },
  async limited() {
    await ask("x");
    await assert.rejects(ask("x"),
      (e) => e instanceof OpenAI.RateLimitError && Number(e.headers.get("retry-after")) >= 1);
    const patient = new OpenAI({ baseURL: url, apiKey: "none", maxRetries: 3 });
    const messages = [{ role: "user", content: "x" }];
    assert.ok(await patient.chat.completions.create({ model: "stub", messages }));
  },
  async dropped() {
    await assert.rejects(async () => {
      for await (const chunk of await ask("x", { stream: true })) void chunk;
    });
  },
};

await tests[test]();
