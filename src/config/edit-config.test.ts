import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { ConfigurationError } from '../base/index.ts';
import { type ConfigChange, editConfig } from './edit-config.ts';

const edit = (content: string, ...changes: ConfigChange[]) => editConfig('config.yaml', content, changes);
const PROVIDER: ConfigChange = { path: ['model', 'provider'], value: 'custom' };

describe('editing a config file', () => {
  const cases: [what: string, before: string, change: ConfigChange, after: string][] = [
    [
      'large numbers',
      'big: 12345678901234567890\nmodel: {default: m}\n',
      { path: ['model', 'default'], value: 'n' },
      'big: 12345678901234567890\nmodel: {default: n}\n',
    ],
    [
      'a comment after a short model',
      'model: foo # trailing\nx: 1\n',
      PROVIDER,
      'model: # trailing\n  default: foo\n  provider: custom\nx: 1\n',
    ],
    [
      'the quotes of a short model',
      'model: "foo"\nx: 1',
      PROVIDER,
      'model:\n  default: "foo"\n  provider: custom\nx: 1',
    ],
    [
      'a byte order mark and line breaks',
      '\uFEFFmodel:\r\n  default: m\r\nx: 1.50\r\n',
      PROVIDER,
      '\uFEFFmodel:\r\n  default: m\r\n  provider: custom\r\nx: 1.50\r\n',
    ],
    [
      'the other entries of a list, and their comments',
      'x:\n  - a # first\n  # about b\n  - b\n  - c # last\n',
      { path: ['x'], remove: 'b' },
      'x:\n  - a # first\n  # about b\n  - c # last\n',
    ],
    ['the rest of a list in brackets', 'x: [a, b, c] # all\n', { path: ['x'], remove: 'a' }, 'x: [b, c] # all\n'],
    ['a list without the entry', 'x: [a]\ny: 1\n', { path: ['x'], remove: 'b' }, 'x: [a]\ny: 1\n'],
    ['the file where there is no such list', 'y: 1 # one\n', { path: ['x', 'z'], remove: 'b' }, 'y: 1 # one\n'],
    [
      'a comment after an empty key',
      'agent: # none yet\nx: 0x1F\n',
      { path: ['agent', 'max_turns'], value: 3 },
      'agent: # none yet\n  max_turns: 3\nx: 0x1F\n',
    ],
    [
      'an empty value',
      'model:\n  default: # choose\n  a: 1\n',
      { path: ['model', 'default'], value: 'm' },
      'model:\n  default: m # choose\n  a: 1\n',
    ],
    [
      'odd indentation',
      'model:\n      default:   m   # k\nx: [1,2]\n',
      PROVIDER,
      'model:\n      default:   m   # k\n      provider: custom\nx: [1,2]\n',
    ],
    ['brackets', 'model: {default: m}  # k\n', PROVIDER, 'model: {default: m, provider: custom}  # k\n'],
    ['empty brackets', 'model: {}\n', PROVIDER, 'model: { provider: custom }\n'],
    [
      'a block of text before the end',
      'model:\n  default: m\n  note: |+\n    a\n\n\nx: 1\n',
      PROVIDER,
      'model:\n  default: m\n  note: |+\n    a\n\n\n  provider: custom\nx: 1\n',
    ],
    ['a file without a last line break', '# c\nx: 1', PROVIDER, '# c\nx: 1\nmodel:\n  provider: custom\n'],
    [
      'lists in brackets',
      'command_allowlist: [ "a" ]\n',
      { path: ['command_allowlist'], add: 'b, c' },
      'command_allowlist: [ "a", "b, c" ]\n',
    ],
    [
      'lists that are not indented',
      'command_allowlist:\n- a # k\nx: 1\n',
      { path: ['command_allowlist'], add: 'b' },
      'command_allowlist:\n- a # k\n- b\nx: 1\n',
    ],
    [
      'a list that does not exist yet',
      'command_allowlist:\nx: 1\n',
      { path: ['command_allowlist'], add: 'b' },
      'command_allowlist:\n  - b\nx: 1\n',
    ],
    [
      'the text around a removed key',
      'model:\n  # one\n  default: m # two\n  x: 1\n',
      { path: ['model', 'default'], value: undefined },
      'model:\n  # one\n  x: 1\n',
    ],
    [
      'the text around a removed key in brackets',
      'model: {default: m, x:  1}\n',
      { path: ['model', 'default'], value: undefined },
      'model: {x:  1}\n',
    ],
    [
      'a merge',
      'a: &a {x: 1}\nmodel:\n  <<: *a\n  default: m\n',
      PROVIDER,
      'a: &a {x: 1}\nmodel:\n  <<: *a\n  default: m\n  provider: custom\n',
    ],
  ];
  for (const [what, before, change, after] of cases) {
    it(`keeps ${what}`, () => expect(edit(before, change)).toBe(after));
  }

  it('rewrites a file with an unusual layout and keeps its line breaks and numbers', () => {
    const before = 'big: 12345678901234567890\r\n? model\r\n: default: m # k\r\n';
    const after = edit(before, { path: ['model', 'default'], value: undefined });
    expect(after).toContain('big: 12345678901234567890\r\n');
    expect(after.replaceAll('\r\n', '')).not.toContain('\n');
    expect(parse(after)).not.toHaveProperty('model.default');
  });

  it('rejects changes that only the user can decide', () => {
    const shared = 'a: &a {provider: x}\nmodel: *a\n';
    expect(() => edit(shared, PROVIDER)).toThrow(ConfigurationError);
    expect(() => edit(shared, PROVIDER)).toThrow(/model\.provider cannot be changed/);
    expect(() => edit('model: {default: &m m}\nx: *m\n', { path: ['model', 'default'], value: undefined })).toThrow(
      ConfigurationError,
    );
  });
});

/** Typical entries, each consisting of whole lines. */
const OTHERS = [
  'N: 12345678901234567890',
  'N: 1.50 # price',
  'N:   {a: 1,b: [x,  y]}   ',
  "N: 'it''s'",
  'N: |\n  text\n\n  more # no comment',
  'N:\n    deep:\n          er: 0o17\n    # inside',
  '# a comment\n\nN: ~',
  'N:\n- 1\n-   2 # two',
  'N: "multi\n  line"',
  'N:',
];
const MODELS = [
  'model: short # mine',
  'model: {default: m}',
  'model:\n  default: m # k\n  extra: 1',
  'model:',
  'model: # nothing',
  'model:\n  # first\n  provider: old\n  default: m',
  'model: { }',
  '',
];

/** A file made of entries with a model section between them, for each kind of line break. */
const configFile = fc
  .record({
    before: fc.array(fc.constantFrom(...OTHERS), { maxLength: 3 }),
    model: fc.constantFrom(...MODELS),
    after: fc.array(fc.constantFrom(...OTHERS), { maxLength: 3 }),
    lineBreak: fc.constantFrom('\n', '\r\n'),
    mark: fc.constantFrom('', '\uFEFF'),
  })
  .map(({ before, model, after, lineBreak, mark }) => {
    const lines = (entries: string[], name: string) =>
      entries
        .map((entry, at) => `${entry.replace('N:', `${name}${at}:`).replaceAll('\n', lineBreak)}${lineBreak}`)
        .join('');
    return {
      before: mark + lines(before, 'before'),
      model: lines([model], ''),
      after: lines(after, 'after'),
      lineBreak,
    };
  });

describe('any config file', () => {
  it('keeps the bytes of every other key and has the new value', () => {
    const value = fc.oneof(fc.constantFrom('m', 'a b', 'yes', '1', '# x', 'a: b', '- x'), fc.string({ minLength: 1 }));
    fc.assert(
      fc.property(configFile, value, ({ before, model, after, lineBreak }, text) => {
        const edited = edit(before + model + after, { path: ['model', 'provider'], value: text });
        expect(edited.startsWith(before)).toBe(true);
        expect(edited).toContain(after);
        expect(parse(edited)).toHaveProperty('model.provider', text);
        expect(edited.replaceAll(lineBreak, '')).not.toContain('\n');
        for (const [comment] of model.matchAll(/#.*/g)) expect(edited).toContain(comment);
      }),
      { numRuns: 400 },
    );
  });

  it('is unchanged except for what is removed or added to a list', () => {
    fc.assert(
      fc.property(configFile, ({ before, model, after, lineBreak }) => {
        const content = before + model + after;
        const removed = edit(content, { path: ['model', 'default'], value: undefined });
        expect(removed.startsWith(before)).toBe(true);
        expect(removed.endsWith(after)).toBe(true);
        expect(parse(removed) ?? {}).not.toHaveProperty('model.default');
        const added = edit(content, { path: ['command_allowlist'], add: 'git push *' });
        // The new list is inserted after the last key; a comment at the end of the file may follow it.
        expect(added.replace(`command_allowlist:${lineBreak}  - git push *${lineBreak}`, '')).toBe(content);
      }),
      { numRuns: 300 },
    );
  });
});
