/**
 * Whether a name matches one of the patterns, in which `*` stands for any text. Without patterns every name does.
 */
export function isConsumed(name: string, patterns: readonly string[] | undefined): boolean {
  return patterns === undefined || patterns.some((pattern) => matches(name, pattern));
}

/** The patterns that match none of the names: most likely they are misspelled. */
export function idlePatterns(patterns: readonly string[] | undefined, names: readonly string[]): string[] {
  return (patterns ?? []).filter((pattern) => !names.some((name) => matches(name, pattern)));
}

/** The parts between the stars have to come in this order; the first one at the start, the last one at the end. */
function matches(name: string, pattern: string): boolean {
  const [first = '', ...others] = pattern.split('*');
  const last = others.pop();
  if (last === undefined) return name === first;
  if (!name.startsWith(first)) return false;
  let from = first.length;
  for (const part of others) {
    const at = name.indexOf(part, from);
    if (at < 0) return false;
    from = at + part.length;
  }
  return name.length - last.length >= from && name.endsWith(last);
}
