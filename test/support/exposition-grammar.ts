/** A family as a strict reader of Prometheus' text format 0.0.4 finds it. */
export interface ReadFamily {
  readonly name: string;
  readonly type: string;
  readonly help: string;
  readonly samples: readonly ReadSample[];
}

interface ReadSample {
  readonly name: string;
  readonly labels: ReadonlyMap<string, string>;
  readonly value: number;
}

const METRIC = '[a-zA-Z_:][a-zA-Z0-9_:]*';
const LABEL = String.raw`([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\\\|\\"|\\n)*)"`;
const HELP_LINE = new RegExp(String.raw`^# HELP (${METRIC}) ((?:[^\\\n]|\\\\|\\n)*)$`);
const TYPE_LINE = new RegExp(`^# TYPE (${METRIC}) (counter|gauge|histogram)$`);
const SAMPLE_LINE = new RegExp(
  String.raw`^(${METRIC})(?:\{(${LABEL}(?:,${LABEL})*)\})? (NaN|[+-]Inf|-?\d+(?:\.\d+)?(?:e[+-]?\d+)?)$`,
);

/**
 * Reads the format and the promises that go with it; written from the specification, not from what writes it.
 *
 * @throws Error that names the line, or the family that breaks a promise
 */
export function readExposition(text: string): readonly ReadFamily[] {
  if (!text.endsWith('\n')) throw new Error('The last line has no end');
  const families: { name: string; type: string; help: string; samples: ReadSample[] }[] = [];
  const lines = text.slice(0, -1).split('\n');
  for (const [index, line] of lines.entries()) {
    const help = HELP_LINE.exec(line);
    const type = TYPE_LINE.exec(line);
    const current = families.at(-1);
    if (help !== null) {
      if (families.some(({ name }) => name === help[1])) throw new Error(`Twice: ${line}`);
      families.push({ name: help[1] ?? '', type: '', help: help[2] ?? '', samples: [] });
    } else if (type !== null && current?.name === type[1] && current?.type === '') {
      current.type = type[2] ?? '';
    } else {
      const sample = readSample(line);
      if (sample === null || current === undefined || !belongs(sample, current)) {
        throw new Error(`Line ${index + 1} does not fit: ${line}`);
      }
      current.samples.push(sample);
    }
  }
  for (const family of families) checkFamily(family);
  return families;
}

function readSample(line: string): ReadSample | null {
  const found = SAMPLE_LINE.exec(line);
  if (found === null) return null;
  const pairs = [...(found[2] ?? '').matchAll(new RegExp(LABEL, 'g'))];
  const labels = new Map(pairs.map(([, name = '', value = '']) => [name, unescape(value)]));
  if (labels.size !== pairs.length) throw new Error(`A label twice: ${line}`);
  const word = found.at(-1) ?? '';
  const value = word.endsWith('Inf') ? Number(`${word}inity`) : Number(word);
  return { name: found[1] ?? '', labels, value };
}

function unescape(text: string): string {
  return text.replaceAll(/\\([\\"n])/g, (_, character: string) =>
    character === 'n' ? '\n' : character,
  );
}

function belongs({ name }: ReadSample, family: { name: string; type: string }): boolean {
  if (family.type !== 'histogram') return family.type !== '' && name === family.name;
  return ['_bucket', '_sum', '_count'].some((end) => name === family.name + end);
}

function checkFamily({ name, type, help, samples }: ReadFamily): void {
  if (help === '' || type === '') throw new Error(`"${name}" has no help or no type`);
  const keys = samples.map((sample) =>
    JSON.stringify([
      sample.name,
      [...sample.labels].map(([label, value]) => `${label}=${value}`).toSorted(),
    ]),
  );
  if (new Set(keys).size !== keys.length) throw new Error(`"${name}" has a sample twice`);
  if ((type === 'counter') !== name.endsWith('_total')) throw new Error(`"${name}" is a ${type}`);
  if (type === 'counter' && samples.some(({ value }) => !(value >= 0))) {
    throw new Error(`"${name}" counts below 0`);
  }
  if (type === 'histogram') checkHistogram(name, samples);
}

function checkHistogram(name: string, samples: readonly ReadSample[]): void {
  const groups = new Map<string, ReadSample[]>();
  for (const sample of samples) {
    const key = JSON.stringify([...sample.labels].filter(([label]) => label !== 'le'));
    groups.set(key, [...(groups.get(key) ?? []), sample]);
  }
  for (const group of groups.values()) {
    const buckets = group.filter((sample) => sample.name === `${name}_bucket`);
    const bounds = buckets.map(({ labels }) =>
      Number((labels.get('le') ?? '').replace('+Inf', 'Infinity')),
    );
    const isSorted = bounds.every(
      (bound, index) => index === 0 || bound > (bounds[index - 1] ?? 0),
    );
    const isGrowing = buckets.every(
      ({ value }, index) => index === 0 || value >= (buckets[index - 1]?.value ?? 0),
    );
    const count = group.find((sample) => sample.name === `${name}_count`)?.value;
    const hasSum = group.some((sample) => sample.name === `${name}_sum`);
    const isWhole = bounds.at(-1) === Infinity && buckets.at(-1)?.value === count && hasSum;
    if (!isSorted || !isGrowing || !isWhole) throw new Error(`"${name}" is no histogram`);
  }
}
