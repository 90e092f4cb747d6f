import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { stringify } from 'yaml';
import { ConfigurationError } from '../../base/index.ts';
import { editConfig } from '../edit-config.ts';
import { loadSettings } from '../index.ts';
import {
  checkFile,
  findKey,
  findValue,
  listKeys,
  listValues,
  planMigration,
  readKeyText,
  readValue,
  writeKeyText,
} from './index.ts';
import { keyDefaults } from './key-defaults.ts';

const FILE = 'config.yaml';
const BEFORE = '# mine\nother: 1 # keep\n';
/** The return value or the thrown error. */
const attempt = (act: () => unknown): unknown => {
  try {
    return act();
  } catch (thrown) {
    return thrown;
  }
};
const read = (key: string, text: string) => {
  const known = findKey(readKeyText(key));
  if (known === undefined) throw new Error(`no key ${key}`);
  return readValue(known, text);
};

async function settingsOf(content: string) {
  const home = await mkdtemp(join(tmpdir(), 'hermes-keys-'));
  onTestFinished(() => rm(home, { recursive: true, force: true }));
  await writeFile(join(home, FILE), content);
  const { home: _, ...settings } = await loadSettings({ home, env: {} });
  return settings;
}

describe('keys', () => {
  it('are read and written the same way', () => {
    fc.assert(
      fc.property(
        fc
          .array(fc.oneof(fc.nat(99), fc.stringMatching(/^[^"]+$/)), { minLength: 1 })
          .filter(([first]) => typeof first === 'string'),
        (path) => {
          // No config file has a quoted top-level key.
          fc.pre(/^[^.[\]"]+$/.test(String(path[0])));
          expect(readKeyText(writeKeyText(path))).toEqual(path);
        },
      ),
    );
  });

  it('are rejected if they are invalid', () => {
    for (const text of ['', '.', 'a..b', 'a.', '[0]', 'a"b', 'a[x]', '"a"']) {
      expect(() => readKeyText(text), text).toThrow(ConfigurationError);
    }
    fc.assert(
      fc.property(fc.string(), (text) => {
        const outcome = attempt(() => readKeyText(text).length > 0);
        expect(outcome === true || outcome instanceof ConfigurationError).toBe(true);
      }),
    );
  });

  it('are found in the schema, including those inside lists and named mappings', () => {
    expect(findKey(['agent', 'max_turns'])?.kind).toBe('number');
    expect(findKey(['fallback_providers', 0, 'model'])?.kind).toBe('text');
    expect(findKey(['model_overrides', 'any', 'context_length'])?.kind).toBe('number');
    expect(findKey(['skills', 'config', 'a', 'b'])?.kind).toBe('any');
    expect(findKey(['agent', 'other'])).toBeUndefined();
    expect(findKey(['toString'])).toBeUndefined();
    for (const { path, expected } of listKeys()) expect([path, expected]).not.toEqual([path, 'Invalid input']);
  });

  it('have the defaults that apply without a file', async () => {
    const changes = Object.entries(keyDefaults()).map(([key, value]) => ({
      path: readKeyText(key),
      value: value as string,
    }));
    const file = editConfig(FILE, '', changes);
    expect(await settingsOf(file)).toEqual(await settingsOf(''));
  });
});

describe('values', () => {
  it.each([
    ['agent.max_turns', '50', 50],
    ['compression.threshold', '.5', 0.5],
    ['limits.day_usd', '1e1', 10],
    ['context_file_max_chars', '20_000', 20_000],
    ['memory.memory_enabled', 'Off', false],
    ['approvals.mode', 'smart', 'smart'],
    ['toolsets', 'file, terminal,', ['file', 'terminal']],
    ['toolsets', '[file, "a,b"]', ['file', 'a,b']],
    ['toolsets', '[]', []],
    ['model.default', '4711', '4711'],
    ['fallback_providers', '[{provider: a, model: b}]', [{ provider: 'a', model: 'b' }]],
    ['skills.config.a.b', 'true', true],
  ])('%s from %s', (key, text, value) => expect(read(key, text)).toEqual(value));

  it.each([
    ['agent.max_turns', '0', /agent\.max_turns must be a whole number above 0/],
    ['agent.max_turns', '1.5', /a whole number above 0/],
    ['agent.max_turns', 'many', /a whole number above 0/],
    ['compression.threshold', '2', /a number above 0 and at most 1/],
    ['approvals.mode', 'never', /must be manual, smart or off, not `never`/],
    ['memory.memory_enabled', 'maybe', /true or false/],
    ['toolsets', '[a', /a list of names/],
    ['agent', 'x', /a mapping of keys to values/],
    ['model.base_url', 'nowhere', /model\.base_url must be /],
    ['model.default', ' ', /An empty value would mean/],
  ])('%s is never %s', (key, text, message) => {
    expect(() => read(key, text)).toThrow(message);
    expect(() => read(key, text)).toThrow(ConfigurationError);
  });

  it('of any key and any text are either written so that they read back the same, or rejected', () => {
    const keys = listKeys().filter(({ kind }) => kind !== 'mapping');
    fc.assert(
      fc.property(
        fc.constantFrom(...keys),
        fc.oneof(
          fc.string(),
          fc.string().map((text) => `[${text}]`),
        ),
        (key, text) => {
          const outcome = attempt(() => {
            const value = readValue(key, text);
            const edited = editConfig(FILE, BEFORE, [{ path: key.path, value }]);
            const found = findValue(FILE, edited, key.path, { reveal: true });
            // Values that mean "not set" are rejected or leave the default.
            return edited.startsWith(BEFORE) && (found?.source !== 'file' || isDeepStrictEqual(found.value, value));
          });
          expect(outcome === true || outcome instanceof ConfigurationError).toBe(true);
        },
      ),
    );
  });

  it('are listed with their lines and with secrets masked', () => {
    const content =
      'model:\n  api_key: sk-abcdefghijklmnopqrstuvwx\n  base_url: https://x.example/v1?api_key=hunter2hunter2\nx:\n  token: ${T}\n';
    const values = listValues(FILE, content);
    expect(values.slice(0, 2)).toEqual([
      { key: 'model.api_key', value: 'sk-abc***uvwx', source: 'file', line: 2, known: true },
      { key: 'model.base_url', value: 'https://x.example/v1?api_key=***', source: 'file', line: 3, known: true },
    ]);
    expect(values.at(-1)).toEqual({ key: 'x.token', value: '${T}', source: 'file', line: 5, known: false });
    expect(values).toContainEqual({ key: 'agent.max_turns', value: 90, source: 'default', known: true });
  });
});

describe('a list in a file', () => {
  it.each([
    ['toolsets: [a, b] # c\n', 'toolsets: [x, y] # c\n'],
    ['toolsets:\n  - a # one\n  - b # two\n# end\nz: 1\n', 'toolsets:\n  - x\n  - y # two\n# end\nz: 1\n'],
    ['toolsets:\r\n- a\r\nz: 1\r\n', 'toolsets:\r\n- x\r\n- y\r\nz: 1\r\n'],
    ['{ toolsets: [ ], z: 1 }\n', '{ toolsets: [x, y], z: 1 }\n'],
    ['toolsets: # mine\nz: 1\n', 'toolsets: # mine\n  - x\n  - y\nz: 1\n'],
  ])('%j', (before, after) => {
    expect(editConfig(FILE, before, [{ path: ['toolsets'], value: ['x', 'y'] }])).toBe(after);
    const empty = editConfig(FILE, before, [{ path: ['toolsets'], value: [] }]);
    expect(findValue(FILE, empty, ['toolsets'])?.value).toEqual([]);
  });

  it('has entries that can be changed', () => {
    const before = 'custom_providers:\n  - { name: a, base_url: http://localhost:1/v1 } # mine\n';
    const after = editConfig(FILE, before, [{ path: ['custom_providers', 0, 'model'], value: 'm' }]);
    expect(findValue(FILE, after, ['custom_providers', 0])?.value).toEqual({
      name: 'a',
      base_url: 'http://localhost:1/v1',
      model: 'm',
    });
    expect(after).toContain('# mine');
  });
});

describe('checking', () => {
  it('finds all mistakes, unknown keys and deprecated keys, with their lines', () => {
    const content =
      'agent:\n  max_turns: 0\n  max_turn: 3\nmax_turns: 5\nlimits: 7\nkanban: {a: {b: 1}}\n_config_version: 38\n';
    expect(checkFile(FILE, content)).toEqual([
      { status: 'wrong', kind: 'value', key: 'agent.max_turns', line: 2, message: expect.stringContaining('above 0') },
      expect.objectContaining({ kind: 'unknown', line: 3, hint: 'Did you mean agent.max_turns?' }),
      expect.objectContaining({
        kind: 'old-name',
        line: 4,
        message: expect.stringContaining('renamed to agent.max_turns'),
      }),
      expect.objectContaining({ kind: 'value', key: 'limits', line: 5 }),
      expect.objectContaining({ kind: 'unknown', key: 'kanban', line: 6 }),
    ]);
    expect(checkFile(FILE, 'a: [')).toEqual([expect.objectContaining({ status: 'wrong', kind: 'syntax' })]);
    expect(checkFile(FILE, '')).toEqual([]);
  });

  it('reports something for any text, and no error for a file that can be loaded', async () => {
    const values = fc.object({ key: fc.constantFrom('model', 'agent', 'max_turns', 'toolsets', 'x'), maxDepth: 3 });
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          fc.string(),
          values.map((value) => stringify(value)),
        ),
        async (text) => {
          const isWrong = checkFile(FILE, text).some(({ status }) => status === 'wrong');
          const loaded = await settingsOf(text).then(
            () => true,
            () => false,
          );
          expect(loaded).toBe(!isWrong);
        },
      ),
      { numRuns: 60 },
    );
  });
});

describe('deprecated keys', () => {
  const migrated = (content: string) => editConfig(FILE, content, planMigration(FILE, content).changes);
  it.each([
    ['max_turns: 5\n', 'agent:\n  max_turns: 5\n'],
    ['max_turns: 5\nagent:\n  max_turns: 6 # mine\n', 'agent:\n  max_turns: 6 # mine\n'],
    [
      'compression:\n  summary_model: m\n  threshold: 0.4\n',
      'compression:\n  threshold: 0.4\nauxiliary:\n  compression:\n    model: m\n',
    ],
    ['model: m\nprovider: p\n', 'model:\n  default: m\n  provider: p\n'],
    // `fallback_model` is a short form, not a deprecated key.
    ['fallback_model: {provider: a, model: b}\n', 'fallback_model: {provider: a, model: b}\n'],
    ['max_turns: many\n', 'max_turns: many\n'],
    ['z: 1 # keep\n', 'z: 1 # keep\n'],
  ])('%j', (before, after) => {
    expect(migrated(before)).toBe(after);
    expect(migrated(after)).toBe(after);
  });

  it('are left unchanged if only the user can decide', () => {
    const { steps, changes } = planMigration(FILE, 'max_turns: many\n');
    expect([steps, changes]).toEqual([[expect.objectContaining({ outcome: 'left' })], []]);
  });
});
