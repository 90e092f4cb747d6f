import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../test/spec/verifies.ts';
import { hasLineNumbers } from './text/text-lines.ts';
import { createToolFixture, errorOf } from './tools.fixture.ts';

describe('write_file', () => {
  verifies('TOOL-5', 'rejects syntax errors in JSON, YAML and TOML files, with the position', async () => {
    await using fixture = await createToolFixture();
    const failure = async (path: string, content: string) =>
      errorOf(await fixture.run('write_file', { path, content }));
    expect(await failure('a.json', '{\n  "a": 1,\n}')).toMatch(/^a\.json would not be valid JSON: .*line 3 column 1/);
    expect(await failure('a.yaml', 'a: 1\nb: [\n')).toMatch(/^a\.yaml would not be valid YAML: .*line 3/);
    expect(await failure('a.toml', 'a = 1\nb = \n')).toMatch(/^a\.toml would not be valid TOML: .*line 2/);
    for (const path of ['a.json', 'a.yaml', 'a.toml']) await expect(fixture.get(path)).rejects.toThrow('ENOENT');
    await fixture.put('b.json', '{"a": 1}\n');
    const patch = { path: 'b.json', old_string: '1}', new_string: '1' };
    expect(errorOf(await fixture.run('patch', patch))).toContain('would not be valid JSON');
    const hunk = { mode: 'patch', patch: '*** Update File: b.json\n-{"a": 1}\n+{"a": }' };
    expect(errorOf(await fixture.run('patch', hunk))).toContain('would not be valid JSON');
    expect(await fixture.get('b.json')).toBe('{"a": 1}\n');
  });

  it('names the absolute path if the shell has left the initial directory', async () => {
    await using fixture = await createToolFixture();
    const write = async () => (await fixture.run('write_file', { path: 'a.txt', content: 'one\n' })).content;
    expect(await write()).toBe('Created a.txt (1 line, 4 bytes).');
    await fixture.run('terminal', { command: 'mkdir sub; cd sub' });
    const path = join(fixture.folder, 'sub/a.txt');
    expect(await write()).toBe(`Created ${path} (1 line, 4 bytes).`);
    const edit = { path: 'a.txt', old_string: 'one', new_string: 'two' };
    expect((await fixture.run('patch', edit)).content).toContain(`Changed ${path}: `);
    const patch = '*** Update File: a.txt\n-two\n+three';
    expect((await fixture.run('patch', { patch })).content).toBe(`Changed ${path}`);
  });

  it('accepts valid files, templates, and files that were broken before', async () => {
    await using fixture = await createToolFixture();
    const write = async (path: string, content: string) => (await fixture.run('write_file', { path, content })).status;
    expect(await write('tsconfig.json', '{ // why\n}')).toBe('ok');
    expect(await write('chart.yaml', 'a: {{ .Values.a }}\n{{- if x }}\n')).toBe('ok');
    expect(await write('two.yaml', 'a: !Ref x\n---\nb: 1\n')).toBe('ok');
    expect(await write('a.toml', '[a]\nb = 1979-05-27\n')).toBe('ok');
    await fixture.put('broken.json', '{');
    expect(await write('broken.json', '{"a":')).toBe('ok');
  });

  verifies('TOOL-5', 'rejects the line numbers of read_file', async () => {
    await using fixture = await createToolFixture();
    await fixture.put('a.ts', 'one\ntwo\n');
    const { content } = await fixture.run('read_file', { path: 'a.ts' });
    expect(errorOf(await fixture.run('write_file', { path: 'a.ts', content }))).toContain('line numbers of read_file');
    const patch = { path: 'a.ts', old_string: 'one\ntwo', new_string: content };
    expect(errorOf(await fixture.run('patch', patch))).toContain('new_string contains the line numbers');
    expect(await fixture.get('a.ts')).toBe('one\ntwo\n');
    expect((await fixture.run('write_file', { path: 'a.md', content: '| 1|2 |\n|3|4|\n' })).status).toBe('ok');
    fc.assert(
      fc.property(fc.array(fc.string(), { minLength: 2 }), fc.nat({ max: 9999 }), (lines, first) => {
        const plain = lines.map((line) => line.replaceAll('\n', ' '));
        expect(hasLineNumbers(plain.map((line, index) => `${first + index}|${line}`).join('\n'))).toBe(true);
      }),
    );
  });

  verifies('TOOL-5', 'warns if another program changed the file since it was read', async () => {
    await using fixture = await createToolFixture();
    await fixture.put('a.txt', 'one\n');
    const write = async (content: string) => (await fixture.run('write_file', { path: 'a.txt', content })).content;
    await fixture.run('read_file', { path: 'a.txt' });
    expect(await write('two\n')).toBe('Replaced a.txt (1 line, 4 bytes).');
    expect(await write('three\n')).not.toContain('Warning');
    await writeFile(join(fixture.folder, 'a.txt'), 'from elsewhere\n');
    expect(await write('four\n')).toContain('Warning: another program had changed the file');
    expect(await write('five\n')).not.toContain('Warning');
    expect(await write('five\n')).toBe('a.txt already has exactly this content; nothing was written.');
  });

  it('patch does not overwrite a change made while the user was asked', async () => {
    await using fixture = await createToolFixture({
      answers: ['once', 'once'],
      onAsked: () => writeFile(path, 'theirs\n'),
    });
    const path = join(fixture.home, '.bashrc');
    await writeFile(path, 'one\n');
    const replace = { path, old_string: 'one', new_string: '1' };
    expect(errorOf(await fixture.run('patch', replace))).toContain('changed by another program in the meantime');
    await writeFile(path, 'one\n');
    const patch = { mode: 'patch', patch: `*** Update File: ${path}\n-one\n+1` };
    expect(errorOf(await fixture.run('patch', patch))).toContain('changed by another program in the meantime');
    expect(fixture.asked.length).toBe(2);
  });
});
