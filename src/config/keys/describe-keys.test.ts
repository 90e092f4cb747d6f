import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { describeKey, describeKeys } from './describe-keys.ts';
import { keyDefaults } from './key-defaults.ts';
import { keyMeanings } from './key-meanings.ts';
import { listKeys } from './schema-keys.ts';
import { knownVariables } from './variables.ts';

const SOURCES = new URL('../../', import.meta.url);

/** Environment variables that are read to detect the system; users are not expected to set them. */
const OF_THE_SYSTEM =
  'PATH HOME TMPDIR USERPROFILE SHELL LANG DISPLAY WAYLAND_DISPLAY SSH_CONNECTION SSH_TTY WSL_DISTRO_NAME TERMUX_VERSION KUBERNETES_SERVICE_HOST'.split(
    ' ',
  );

describe('the documentation of keys', () => {
  const sections = describeKeys();
  const keys = sections.flatMap((section) => section.keys);

  it('covers every key and every section', () => {
    expect(sections.filter(({ about }) => about === '').map(({ name }) => name)).toEqual([]);
    expect(keys.filter(({ about }) => about === '').map(({ key }) => key)).toEqual([]);
  });

  it('names no unknown key', () => {
    const known = [...sections.map(({ name }) => name), ...keys.map(({ key }) => key)];
    expect(Object.keys(keyMeanings()).filter((key) => !known.includes(key))).toEqual([]);
    expect(Object.keys(keyDefaults()).filter((key) => !known.includes(key))).toEqual([]);
  });

  it('is found for a key as written in a file', () => {
    for (const { path } of listKeys().filter(({ kind }) => kind !== 'list' && kind !== 'mapping'))
      expect([path, describeKey(path)?.about]).toEqual([path, expect.stringMatching(/./)]);
    expect(describeKey(['custom_providers', 3, 'key_env'])).toMatchObject({ key: 'custom_providers[].key_env' });
    expect(describeKey(['auxiliary', 'vision', 'fallback', 0, 'model'])?.key).toBe('auxiliary.TASK.fallback[].model');
    expect(describeKey(['model_overrides', 'a.b', 'price', 'input'])?.key).toBe('model_overrides.NAME.price.input');
    expect(describeKey(['agent', 'toString'])).toBeUndefined();
    expect(describeKey(['auxiliary', 'nonsense', 'model'])).toBeUndefined();
  });

  it('names only known variables', () => {
    const names = knownVariables().map(({ name }) => name);
    const named = keys.flatMap(({ variable }) => variable ?? []);
    expect(named.filter((name) => !names.includes(name))).toEqual([]);
    expect(named).toContain('HERMES_INFERENCE_MODEL');
  });
});

describe('the list of variables', () => {
  it('contains all variables that the sources read by name', () => {
    const files = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' }).filter(
      (name) => name.endsWith('.ts') && !/\.(?:test|fixture|test-helper)\.ts$|^testing\//.test(name),
    );
    const found = new Set<string>();
    for (const file of files) {
      const text = readFileSync(new URL(file, SOURCES), 'utf8');
      const places = /(?:(?:env|variables)(?:\?\.)?\[|variable\()'([A-Z][A-Z0-9_]+)'|[^\w{}$](HERMES_[A-Z_]*[A-Z]) ?:/g;
      for (const [, ...names] of text.matchAll(places)) for (const name of names) if (name) found.add(name);
    }
    expect(found.size).toBeGreaterThan(15);
    const listed = [...knownVariables().map(({ name }) => name), ...OF_THE_SYSTEM];
    const built = [
      'HERMES_VERSION',
      'HERMES_STORE_WORKER',
      'HERMES_PAGE_WORKER',
      'HERMES_SCAN_RULES',
      'HERMES_SAVE_COMPILE_CACHE',
    ];
    expect([...found].filter((name) => !listed.includes(name) && !built.includes(name)).toSorted()).toEqual([]);
  });
});
