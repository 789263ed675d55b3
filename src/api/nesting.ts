/** Deeper than any answer of the service; printing a deeper one could exhaust the stack. */
const MOST = 500;

/** Whether a JSON text is nested deeper than anything that is meant: whatever walks over its value would run out of stack. */
export function isNestedTooDeep(json: string): boolean {
  let depth = 0;
  let inText = false;
  for (let at = 0; at < json.length; at += 1) {
    const sign = json[at];
    if (inText) {
      if (sign === '\\') at += 1;
      else if (sign === '"') inText = false;
    } else if (sign === '"') inText = true;
    else if (sign === '[' || sign === '{') {
      depth += 1;
      if (depth > MOST) return true;
    } else if (sign === ']' || sign === '}') depth -= 1;
  }
  return false;
}
