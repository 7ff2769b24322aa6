// Makes json_schema.jsonl: random schemas and values, and what Ajv (draft
// 2020-12) says of each pair. Run where ajv 8 is installed:
//     npm install ajv@8 && node json_schema.js > json_schema.jsonl
const Ajv = require("ajv/dist/2020").default;

let state = 20201200;
function below(n) {
    state = (state * 1103515245 + 12345) & 0x7fffffff;
    return (state >> 8) % n;
}
const pick = (list) => list[below(list.length)];
const times = (n, make) => Array.from({ length: n }, make);

const scalars = [null, true, false, 0, 1, 2, 3, 1.5, -1, 10, "", "a", "ab", "abc", "ü"];
const names = ["a", "b", "c", "x1", "ab"];

function value(depth) {
    const kind = depth > 0 ? below(3) : 0;
    if (kind === 1) return times(below(4), () => value(depth - 1));
    if (kind === 2) return Object.fromEntries(times(below(4), () => [pick(names), value(depth - 1)]));
    return pick(scalars);
}

const leaves = [true, false, { type: "integer" }, { type: "string" }, { minimum: 1 }];
const unique = (list) => [...new Set(list.map((x) => JSON.stringify(x)))].map((x) => JSON.parse(x));

function keywords(depth) {
    const below_ = () => (depth > 0 ? schema(depth - 1) : pick(leaves));
    const mapping = () => Object.fromEntries(times(1 + below(2), () => [pick(names), below_()]));
    const count = () => below(3);
    return {
        type: () => pick(["null", "boolean", "integer", "number", "string", "array", "object",
                          ["string", "null"], ["array", "integer"]]),
        enum: () => unique([value(0), value(1)]),
        const: () => value(1),
        minimum: count, maximum: count, exclusiveMinimum: count, exclusiveMaximum: count,
        multipleOf: () => pick([1, 2, 0.5]),
        minLength: count, maxLength: count,
        pattern: () => pick(["a", "^a$", "b+", "^.b"]),
        items: below_, prefixItems: () => [below_(), below_()],
        contains: below_, minItems: count, maxItems: count, uniqueItems: () => below(2) === 0,
        properties: mapping, patternProperties: () => ({ [pick(["^a", "b$", "1"])]: below_() }),
        additionalProperties: below_, propertyNames: below_, required: () => [pick(["a", "b"])],
        minProperties: count, maxProperties: count,
        dependentRequired: () => ({ a: ["b"] }), dependentSchemas: mapping,
        allOf: () => [below_(), below_()], anyOf: () => [below_(), below_()],
        oneOf: () => [below_(), below_()], not: below_,
        if: below_, then: below_, else: below_,
        $ref: () => "#/$defs/d",
    };
}

function schema(depth) {
    if (below(12) === 0) return below(2) === 0;
    const table = keywords(depth);
    const made = {};
    for (let i = 1 + below(3); i > 0; i--) {
        const name = pick(Object.keys(table));
        made[name] = table[name]();
        if (name === "contains" && below(2)) made.minContains = below(3);
        if (name === "contains" && below(2)) made.maxContains = 1 + below(2);
    }
    return made;
}

const counts = { true: 0, false: 0 };
while (counts.true + counts.false < 800) {
    const s = schema(2);
    if (typeof s !== "object") continue;
    if (JSON.stringify(s).includes("$ref")) {
        s.$defs = { d: pick([{ type: "integer" }, { maxLength: 1 }, { items: { type: "integer" } }]) };
    }
    const v = value(2);
    const ajv = new Ajv({ strict: false, validateFormats: false, logger: false });
    const valid = ajv.compile(s)(v);
    if (counts[valid] >= 400) continue; // as many of each
    counts[valid]++;
    process.stdout.write(JSON.stringify({ schema: s, value: v, valid }) + "\n");
}
