import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LineCounter, parseDocument } from 'yaml';
import { YAML_OPTIONS } from './parse-config.ts';
import { readPlainYaml } from './plain-yaml.ts';

const CONFIG = `# mine
model:
  provider: custom   # local
  default: "some model"
  base_url: http://127.0.0.1:8080/v1
  context_length: 32000
agent:

  max_turns: 12
  # nothing set
  reasoning_effort:
memory:
  provider: ''
  memory_enabled: false
`;

/** Some parts are plain, some are anything but; together they make files of both kinds. */
const part = fc.oneof(
  fc.constantFrom('key', 'a', 'b', 'true', 'no', 'null', 'Null', '0', '12', '012', '1e3', '0x1f', '1_000', '-1', '.5'),
  fc.constantFrom('x:y', 'http://a.b/c', 'a:', ':', '"q"', "'q'", '"a: b"', '"', "it's", '#', '# c', 'a #b', 'a#b'),
  fc.constantFrom('- a', '[1]', '{a: 1}', '&x', '*x', '!t', '|', '>', '<<', '?', '~', '---', '...', '%Y', '2020-01-01'),
);
const line = fc
  .tuple(fc.constantFrom('', '', ' ', '  ', '    ', '\t'), fc.constantFrom('a', 'b', 'c', 'true', '<<', '"a"'), part)
  .chain(([blanks, key, value]) =>
    fc.constantFrom(
      `${blanks}${key}: ${value}`,
      `${blanks}${key}:`,
      `${blanks}${key}:  ${value}  `,
      `${blanks}${value}`,
      '',
      `${blanks}# note`,
      `${blanks}${key}:${value}`,
    ),
  );
const files = fc.array(line, { maxLength: 8 }).map((lines) => lines.join('\n'));

function readWhole(content: string) {
  const lineCounter = new LineCounter();
  const document = parseDocument(content, { ...YAML_OPTIONS, lineCounter });
  const lineOf = (path: readonly string[]) => {
    const node = document.getIn(path, true) as { range?: readonly number[] } | undefined;
    return lineCounter.linePos(node?.range?.[0] ?? 0).line;
  };
  return { errors: document.errors, values: (document.toJS() as unknown) ?? {}, lineOf };
}

function pathsOf(values: object, above: readonly string[] = []): string[][] {
  return Object.entries(values).flatMap(([key, value]: [string, unknown]) => {
    const path = [...above, key];
    if (value === null) return [];
    return [path, ...(typeof value === 'object' ? pathsOf(value, path) : [])];
  });
}

function expectSame(content: string): void {
  const plain = readPlainYaml(content);
  if (plain === undefined) return;
  const whole = readWhole(content);
  expect(whole.errors).toEqual([]);
  expect(plain.values).toEqual(whole.values);
  for (const path of pathsOf(plain.values)) expect([path, plain.lineOf(path)]).toEqual([path, whole.lineOf(path)]);
}

describe('a plain config file', () => {
  it('is read without the parser, with the lines of its keys', () => {
    expect(readPlainYaml(CONFIG)?.values).toMatchObject({ model: { default: 'some model', context_length: 32000 } });
    expect(readPlainYaml(CONFIG)?.lineOf(['model', 'base_url', 'x'])).toBe(5);
    expectSame(CONFIG);
  });

  it('is read as the parser reads it, or left to it', () => {
    fc.assert(fc.property(files, expectSame), { numRuns: 3000 });
    fc.assert(fc.property(fc.string({ maxLength: 30 }), expectSame), { numRuns: 500 });
  });

  it('is left to the parser where one character is odd', () => {
    const places = fc.nat({ max: CONFIG.length });
    fc.assert(
      fc.property(places, fc.constantFrom(...'&*!|>{[-?%@`":# \t\n', '\u00e9', "'"), (place, odd) =>
        expectSame(CONFIG.slice(0, place) + odd + CONFIG.slice(place)),
      ),
      { numRuns: 1500 },
    );
  });
});
