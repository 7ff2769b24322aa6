// Where a number of the page comes from.
//
// Each answer of the server is walked once; every object and list in it remembers the
// address that gave it and its path inside. A number is then shown by naming its object
// and key (parts/number.js), and a test can ask the same address for the same path.
const places = new WeakMap();

/** Remembers the place of every object in `json`, the answer of `address`. */
export function remember(json, address) {
  const open = [[json, ""]];
  while (open.length) {
    const [value, path] = open.pop();
    places.set(value, { address, path });
    const keys = Array.isArray(value) ? value.keys() : Object.keys(value);
    for (const key of keys) {
      const child = value[key];
      if (child !== null && typeof child === "object") open.push([child, path ? `${path}.${key}` : `${key}`]);
      else if (Array.isArray(value)) break; // numbers: their list is place enough
    }
  }
  return json;
}

/** The address and path of `key` in `object`; null if no server gave it. */
export function placeOf(object, key) {
  const place = object && typeof object === "object" ? places.get(object) : undefined;
  if (!place) return null;
  return { address: place.address, path: place.path ? `${place.path}.${key}` : `${key}` };
}
