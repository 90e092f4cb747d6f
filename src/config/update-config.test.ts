import { mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { verifies } from '../../test/spec/verifies.ts';
import { loadSettings, updateConfig, updateEnvFile } from './index.ts';

describe('write-back', () => {
  let home: string;
  let file: string;
  beforeEach(async () => {
    home = await mkdtemp(join(tmpdir(), 'hermes-config-'));
    file = join(home, 'config.yaml');
  });
  afterEach(() => rm(home, { recursive: true, force: true }));
  const modeOf = async (path: string) => (await stat(path)).mode & 0o777;

  it('keeps comments, order and everything it does not change', async () => {
    await writeFile(
      file,
      '# mine\nother: {a: 1} # keep\nmodel:\n  # the good one\n  default: old\n  extra: true\nlast: x\n',
    );
    await updateConfig(home, [
      { path: ['model', 'default'], value: 'new' },
      { path: ['agent', 'max_turns'], value: 3 },
      { path: ['model', 'base_url'], value: undefined },
    ]);
    expect(await readFile(file, 'utf8')).toBe(
      '# mine\nother: {a: 1} # keep\nmodel:\n  # the good one\n  default: new\n  extra: true\nlast: x\nagent:\n  max_turns: 3\n',
    );
  });

  it('creates a missing file, readable only by its owner', async () => {
    await updateConfig(join(home, 'new'), [{ path: ['model', 'default'], value: 'm' }]);
    expect(await readFile(join(home, 'new', 'config.yaml'), 'utf8')).toBe('model:\n  default: m\n');
    expect(await modeOf(join(home, 'new', 'config.yaml'))).toBe(0o600);
    expect(await modeOf(join(home, 'new'))).toBe(0o700);
  });

  it('keeps the name when a plain model becomes a mapping, and the comments of an otherwise empty file', async () => {
    await writeFile(file, 'model: short\n');
    await updateConfig(home, [{ path: ['model', 'provider'], value: 'custom' }]);
    expect((await loadSettings({ home, env: {} })).model).toMatchObject({ model: 'short', provider: 'custom' });
    await writeFile(file, '# only words\n');
    await updateConfig(home, [{ path: ['model', 'default'], value: 'm' }]);
    expect(await readFile(file, 'utf8')).toContain('# only words');
  });

  it('changes nothing if the file is invalid or the value is wrong', async () => {
    await writeFile(file, 'model: "open\n');
    await expect(updateConfig(home, [{ path: ['model', 'default'], value: 'm' }])).rejects.toThrow(
      /line 1, near the key "model"/,
    );
    expect(await readFile(file, 'utf8')).toBe('model: "open\n');
    // The parser finds a missing bracket only at the end of the file.
    await writeFile(file, 'model: m\ntoolsets: [web\n\n');
    await expect(updateConfig(home, [{ path: ['model', 'default'], value: 'm' }])).rejects.toThrow(
      /line 2, near the key "toolsets"/,
    );
    await writeFile(file, 'model: m\n');
    await expect(updateConfig(home, [{ path: ['agent', 'max_turns'], value: 'many' }])).rejects.toThrow(/max_turns/);
    expect(await readFile(file, 'utf8')).toBe('model: m\n');
    expect(await readdir(home)).toEqual(['config.yaml']);
  });

  it('writes through a link and keeps the mode of its target', async () => {
    const real = join(home, 'real.yaml');
    await writeFile(real, 'model: m\n', { mode: 0o640 });
    await symlink(real, file);
    await updateConfig(home, [{ path: ['model', 'default'], value: 'n' }]);
    expect(await readFile(real, 'utf8')).toContain('default: n');
    expect(await modeOf(real)).toBe(0o640);
  });

  verifies('STORE-8', 'saves variables privately and keeps the other lines', async () => {
    const env = join(home, '.env');
    await writeFile(env, '# keys\nexport A=1\nB=2', { mode: 0o644 });
    await updateEnvFile(home, { A: 'new $& value', C: 'sk-3' });
    expect(await readFile(env, 'utf8')).toBe("# keys\nA='new $& value'\nB=2\nC=sk-3\n");
    expect(await modeOf(env)).toBe(0o600);
    await expect(updateEnvFile(home, { D: 'two\nlines' })).rejects.toThrow(/D cannot be saved/);
  });

  it('keeps one line of a variable that occurred more than once', async () => {
    await writeFile(join(home, '.env'), 'A=1\nB=2\nexport A=3\nAB=4\nA=5');
    await updateEnvFile(home, { A: 'new' });
    expect(await readFile(join(home, '.env'), 'utf8')).toBe('A=new\nB=2\nAB=4\n');
  });

  it('adds missing entries to a list', async () => {
    await writeFile(file, 'list:\n  - a # mine\n');
    await updateConfig(home, [
      { path: ['list'], add: 'b' },
      { path: ['list'], add: 'a' },
      { path: ['other', 'list'], add: 'c' },
    ]);
    expect(await readFile(file, 'utf8')).toBe('list:\n  - a # mine\n  - b\nother:\n  list:\n    - c\n');
  });

  it('adds mappings to a list on one line, and removes single entries', async () => {
    const before =
      '# mine\nlist: # order matters\n  - provider: a # first\n    model: m\n\n  # second\n  - { provider: b, model: n }\nlast: x\n';
    await writeFile(file, before);
    const add = { provider: 'c', model: 'maker/model: free' };
    await updateConfig(home, [{ path: ['list'], add }]);
    const added = before.replace('model: n }\n', 'model: n }\n  - { provider: c, model: "maker/model: free" }\n');
    expect(await readFile(file, 'utf8')).toBe(added);
    await updateConfig(home, [{ path: ['list', 0], value: undefined }]);
    expect(await readFile(file, 'utf8')).toBe(added.replace('  - provider: a # first\n    model: m\n', ''));
    await updateConfig(home, [{ path: ['list', 1], value: undefined }]);
    expect(await readFile(file, 'utf8')).toBe(before.replace('  - provider: a # first\n    model: m\n', ''));
    await writeFile(file, 'list: [{ provider: a, model: m }, { provider: b, model: n }]\n');
    await updateConfig(home, [
      { path: ['list'], add: { provider: 'c', model: 'o' } },
      { path: ['list', 0], value: undefined },
      { path: ['new', 'list'], add: { provider: 'd', model: 'p' } },
    ]);
    expect(await readFile(file, 'utf8')).toBe(
      'list: [{ provider: b, model: n }, { provider: c, model: o }]\nnew:\n  list:\n    - { provider: d, model: p }\n',
    );
  });

  it('keeps the byte order mark and the line breaks of the variables', async () => {
    await writeFile(join(home, '.env'), '\uFEFFA=1\r\nB=2\r\n');
    await updateEnvFile(home, { A: 'new', C: '3' });
    expect(await readFile(join(home, '.env'), 'utf8')).toBe('\uFEFFA=new\r\nB=2\r\nC=3\r\n');
  });

  it('does not save a variable that an unclosed quote above would swallow', async () => {
    await writeFile(join(home, '.env'), "A='open\n");
    await expect(updateEnvFile(home, { KEY: 'two words' })).rejects.toThrow(/KEY cannot be saved/);
    expect(await readFile(join(home, '.env'), 'utf8')).toBe("A='open\n");
  });

  it('saves any key so that it reads back the same, or rejects it', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.string({ unit: 'binary-ascii' }),
        fc.constantFrom('', '\uFEFFA=1\r\n'),
        async (secret, before) => {
          await writeFile(join(home, '.env'), `${before}KEY="two\nlines"\nB='x'`);
          const saved = await updateEnvFile(home, { KEY: secret }).then(
            () => true,
            () => false,
          );
          const { variables } = await loadSettings({ home, env: {} });
          expect(variables).toEqual({
            ...(before && { A: '1' }),
            B: 'x',
            ...(saved ? secret && { KEY: secret } : { KEY: 'two\nlines' }),
          });
          // Only values with line breaks, or with both quotes and backslashes, cannot be saved.
          expect(saved || /[\r\n'"\\]/.test(secret)).toBe(true);
        },
      ),
      { numRuns: 200 },
    );
  });
});
