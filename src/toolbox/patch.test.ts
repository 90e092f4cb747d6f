import { readdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { scaledRuns } from '../../test/support/dose.ts';
import type { Environment } from '../contracts/index.ts';
import { createLocalEnvironment } from '../environments/index.ts';
import { createToolSet } from '../tools/index.ts';
import { applyHunks } from './patching/patch-files.ts';
import { parsePatch } from './patching/parse-patch.ts';
import { patchTool } from './patch.ts';
import { replaceText } from './patching/replace-text.ts';
import { createToolFixture, errorOf } from './tools.fixture.ts';

const once = (text: string, oldString: string, newString: string) =>
  replaceText(text, { oldString, newString, replaceAll: false }, 'f').text;

describe('patch in mode replace', () => {
  it('changes the only occurrence and reports its line', async () => {
    await using fixture = await createToolFixture();
    await fixture.put('a.ts', 'one\ntwo\nthree\n');
    const { content } = await fixture.run('patch', { path: 'a.ts', old_string: 'two', new_string: '2' });
    expect(content).toBe('Changed a.ts: 1 replacement (line 2).');
    expect(await fixture.get('a.ts')).toBe('one\n2\nthree\n');
  });

  it('rejects an ambiguous old_string unless replace_all is set', async () => {
    await using fixture = await createToolFixture();
    await fixture.put('a.ts', 'x = 1\ny\nx = 1\n');
    const args = { path: 'a.ts', old_string: 'x = 1', new_string: 'x = 2' };
    expect(errorOf(await fixture.run('patch', args))).toContain('occurs 2 times in a.ts (lines 1, 3)');
    await fixture.put('many.ts', 'same\n'.repeat(50_000));
    const many = { path: 'many.ts', old_string: 'same', new_string: 'other' };
    expect(errorOf(await fixture.run('patch', many))).toMatch(/occurs 50000 times in many\.ts \(lines 1, .*, 20, …\)/);
    expect((await fixture.run('patch', { ...many, replace_all: true })).content).toMatch(
      /50000 replacements \(line 1, .*20, …\)/,
    );
    expect((await fixture.run('patch', { ...args, replace_all: true })).content).toContain(
      '2 replacements (line 1, 3)',
    );
    expect(await fixture.get('a.ts')).toBe('x = 2\ny\nx = 2\n');
  });

  it('shows the most similar lines, or that the change is already made', async () => {
    await using fixture = await createToolFixture();
    await fixture.put('a.ts', 'const total = sum(items);\nreturn total;\n');
    const missing = await fixture.run('patch', {
      path: 'a.ts',
      old_string: 'const totl = sum(item);',
      new_string: 'x',
    });
    expect(errorOf(missing)).toContain('1|const total = sum(items);');
    const done = await fixture.run('patch', { path: 'a.ts', old_string: 'return sum;', new_string: 'return total;' });
    expect(errorOf(done)).toContain('made already');
    expect(errorOf(await fixture.run('patch', { path: 'a.ts', old_string: '', new_string: 'x' }))).toContain('empty');
    expect(errorOf(await fixture.run('patch', { path: 'a.ts', old_string: 'x', new_string: 'x' }))).toContain(
      'identical',
    );
    for (const args of ['{"path": "a.ts", "new_string": "x"}', '{"path": "", "old_string": "y", "new_string": "x"}'])
      expect(errorOf(await fixture.run('patch', JSON.parse(args)))).toContain('Pass path, old_string and new_string');
    await fixture.put('latin.txt', new Uint8Array([0x61, 0xe9, 0x62]));
    expect(errorOf(await fixture.run('patch', { path: 'latin.txt', old_string: 'a', new_string: 'b' }))).toContain(
      'UTF-8',
    );
  });

  it('tolerates wrong indentation and corrects it in the replacement', () => {
    const text = 'class A {\n    run() {\n        go();\n    }\n}\n';
    expect(once(text, 'run() {\n    go();\n}', 'run() {\n    stop();\n}')).toBe(
      'class A {\n    run() {\n        stop();\n    }\n}\n',
    );
    expect(once(text, '        run() {\n            go();', '        run() {\n            stop();')).toContain(
      '    run() {\n        stop();\n    }',
    );
  });

  it('keeps the line endings and byte order mark of the file', () => {
    expect(once('\uFEFFa\r\nb\r\nc\r\n', 'a\nb', 'x\ny')).toBe('\uFEFFx\r\ny\r\nc\r\n');
    expect(once('a\r\n  b\r\n', 'b\n', 'c\n')).toBe('a\r\n  c\r\n');
  });

  it('never changes a byte outside the match', () => {
    let replaced = 0;
    const line = fc.string({ unit: fc.constantFrom('a', 'b', ' ', '\t', '{', 'é', '\r'), maxLength: 6 });
    const lines = fc.array(line, { maxLength: 8 });
    fc.assert(
      fc.property(
        lines,
        fc.array(line, { minLength: 1, maxLength: 3 }),
        lines,
        line,
        line,
        (before, middle, after, pad, fresh) => {
          const wanted = middle.map((text) => text.trim()).join('\n');
          const text = [...before, ...middle.map((part) => pad.replace(/\S/g, '') + part), ...after].join('\n');
          let result: ReturnType<typeof replaceText>;
          try {
            result = replaceText(text, { oldString: wanted, newString: `«${fresh}»`, replaceAll: false }, 'f');
          } catch {
            return;
          }
          replaced += 1;
          // The text before and after the replacement must be a prefix and a suffix of the old text, and the part
          // between must equal old_string up to white space.
          const start = result.text.indexOf('«');
          const tail = result.text.slice(result.text.lastIndexOf('»') + 1);
          const head = result.text.slice(0, start);
          const indent = /[ \t]*$/.exec(head)?.[0] ?? '';
          const heads = [head, head.slice(0, head.length - indent.length)];
          const blanks = (part: string) =>
            part
              .split('\n')
              .map((piece) => piece.trim())
              .join('\n')
              .trim();
          const kept = heads.some(
            (front) =>
              text.startsWith(front) &&
              text.endsWith(tail) &&
              blanks(text.slice(front.length, text.length - tail.length)) === blanks(wanted),
          );
          expect(kept).toBe(true);
        },
      ),
      { numRuns: 500 },
    );
    expect(replaced).toBeGreaterThan(scaledRuns(500) / 5);
  });
});

describe('patch in mode patch', () => {
  const PATCH = `*** Begin Patch
*** Update File: a.ts
@@ class A
   run() {
-    go();
+    stop();
   }
*** Add File: new/b.ts
+export const b = 1;
+
*** Delete File: old.ts
*** End Patch`;

  it('changes, adds and deletes files', async () => {
    await using fixture = await createToolFixture();
    await fixture.put('a.ts', 'class A {\n  run() {\n    go();\n  }\n}\n');
    await fixture.put('old.ts', 'gone\n');
    const { content } = await fixture.run('patch', { mode: 'patch', patch: PATCH });
    expect(content).toBe('Changed a.ts\nCreated new/b.ts\nDeleted old.ts');
    expect(await fixture.get('a.ts')).toBe('class A {\n  run() {\n    stop();\n  }\n}\n');
    expect(await fixture.get('new/b.ts')).toBe('export const b = 1;\n\n');
    expect(await readdir(fixture.folder)).toEqual(['a.ts', 'new']);
  });

  it('applies all changes or none', async () => {
    await using fixture = await createToolFixture();
    const original = 'class A {\n  run() {\n    go();\n  }\n}\n';
    await fixture.put('a.ts', original);
    const missing = await fixture.run('patch', { mode: 'patch', patch: PATCH });
    expect(errorOf(missing)).toContain(`File not found: ${join(fixture.folder, 'old.ts')}. `);
    expect(await fixture.get('a.ts')).toBe(original);
    expect(await readdir(fixture.folder)).toEqual(['a.ts']);
  });

  it('rolls back when a later file cannot be written', async () => {
    await using fixture = await createToolFixture();
    await fixture.put('a.txt', 'a\n');
    // A file used as a directory fails only when it is written.
    const patch = '*** Update File: a.txt\n-a\n+x\n*** Add File: new.txt\n+n\n*** Add File: a.txt/below.txt\n+y';
    expect((await fixture.run('patch', { mode: 'patch', patch })).status).toBe('error');
    expect(await fixture.get('a.txt')).toBe('a\n');
    expect(await readdir(fixture.folder)).toEqual(['a.txt']);
  });

  it('rolls back what it can and names the rest', async () => {
    await using fixture = await createToolFixture();
    const environment = createLocalEnvironment({ workingDirectory: fixture.folder });
    const broken: Environment = {
      ...environment,
      async writeFile(path, content) {
        if (path === 'c.txt' || (path === 'b.txt' && content === 'b\n')) throw new Error('disk full');
        await environment.writeFile(path, content);
      },
    };
    const tools = createToolSet({ tools: [patchTool], environment: broken });
    for (const name of ['a', 'b', 'c']) await fixture.put(`${name}.txt`, `${name}\n`);
    const patch = ['a', 'b', 'c'].map((name) => `*** Update File: ${name}.txt\n-${name}\n+new`).join('\n');
    const outcome = await tools.dispatchWithoutAgent('patch', { mode: 'patch', patch });
    expect(errorOf(outcome)).toBe(
      'disk full. The other files were restored, except for: b.txt. Check these before you continue.',
    );
    expect(await fixture.get('a.txt')).toBe('a\n');
  });

  it('rejects one file under two names', async () => {
    await using fixture = await createToolFixture();
    await fixture.put('a.txt', 'one\ntwo\n');
    await symlink('a.txt', join(fixture.folder, 'link.txt'));
    for (const name of ['./a.txt', 'link.txt', join(fixture.folder, 'a.txt')]) {
      const patch = `*** Update File: a.txt\n-one\n+1\n*** Update File: ${name}\n-two\n+2`;
      expect(errorOf(await fixture.run('patch', { mode: 'patch', patch }))).toContain(`contains ${name} twice`);
    }
    expect(await fixture.get('a.txt')).toBe('one\ntwo\n');
  });

  it('deletes a symbolic link and not its target', async () => {
    await using fixture = await createToolFixture();
    await fixture.put('real.txt', 'kept\n');
    await symlink('real.txt', join(fixture.folder, 'link'));
    expect((await fixture.run('patch', { mode: 'patch', patch: '*** Delete File: link' })).content).toBe(
      'Deleted link',
    );
    expect(await readdir(fixture.folder)).toEqual(['real.txt']);
  });

  it('ignores empty lines between sections', async () => {
    await using fixture = await createToolFixture();
    await fixture.put('a.txt', 'one\ntwo\nthree\n');
    await fixture.put('b.txt', 'b\n');
    const patch =
      '\n*** Begin Patch\n*** Update File: a.txt\n@@\n-one\n+1\n\n@@\n-three\n+3\n\n\n*** Add File: c.txt\n+c\n\n*** Update File: b.txt\n-b\n+B\n\n*** End Patch\n';
    expect((await fixture.run('patch', { mode: 'patch', patch })).status).toBe('ok');
    expect(await Promise.all(['a.txt', 'b.txt', 'c.txt'].map(fixture.get))).toEqual(['1\ntwo\n3\n', 'B\n', 'c\n']);
  });

  it('treats an empty line inside a hunk as a line of the file', async () => {
    await using fixture = await createToolFixture();
    await fixture.put('a.txt', 'one\n\ntwo\n');
    const patch = '*** Begin Patch\n*** Update File: a.txt\n one\n\n-two\n+2\n*** End Patch';
    expect((await fixture.run('patch', { mode: 'patch', patch })).status).toBe('ok');
    expect(await fixture.get('a.txt')).toBe('one\n\n2\n');
    const wrong = '*** Begin Patch\n*** Update File: a.txt\nno mark\n*** End Patch';
    expect(errorOf(await fixture.run('patch', { mode: 'patch', patch: wrong }))).toContain('at line 3');
  });

  it('moves a file', async () => {
    await using fixture = await createToolFixture();
    await fixture.put('a.txt', 'one\ntwo\n');
    const patch = '*** Begin Patch\n*** Update File: a.txt\n*** Move to: sub/b.txt\n one\n-two\n+2\n*** End Patch';
    expect((await fixture.run('patch', { mode: 'patch', patch })).content).toBe('Created sub/b.txt\nDeleted a.txt');
    expect(await fixture.get('sub/b.txt')).toBe('one\n2\n');
  });

  it('explains what is wrong with an invalid patch', async () => {
    await using fixture = await createToolFixture();
    await fixture.put('a.txt', 'x\ny\nx\n');
    const failure = async (patch: string) => errorOf(await fixture.run('patch', { mode: 'patch', patch }));
    expect(await failure('')).toContain('names no file');
    expect(await failure('hello')).toContain('line 1: expected');
    expect(await failure('*** Add File: b\nno plus')).toContain('must begin with +');
    expect(await failure('*** Update File: a.txt\n-x\n+z')).toContain('several positions (lines 1, 3)');
    expect(await failure('*** Update File: a.txt\n-nope\n+z')).toContain(
      'starting with "nope", were not found in the file',
    );
    expect(await failure('*** Add File: a.txt\n+z')).toContain('already exists');
    expect(await failure('*** Update File: a.txt\n@@ nowhere\n-x\n+z')).toContain('no line contains "nowhere"');
    expect(await failure('*** Update File: a.txt\n-y\n*** Update File: a.txt\n-y')).toContain('twice');
    expect(errorOf(await fixture.run('patch', { mode: 'patch' }))).toContain('Pass path, old_string and new_string');
  });

  it('reserves the files that the patch names', async () => {
    await using fixture = await createToolFixture();
    const writes = ['1', '2', '3'].map((content) => ({
      name: 'write_file',
      args: { path: 'a.txt', content: `${content}\n` },
    }));
    const patch = { name: 'patch', args: { mode: 'patch', patch: '*** Update File: a.txt\n-3\n+4' } };
    const outcomes = await fixture.runAll([...writes, patch]);
    expect(outcomes.map(({ status }) => status)).toEqual(['ok', 'ok', 'ok', 'ok']);
    expect(await fixture.get('a.txt')).toBe('4\n');
  });

  it('keeps the bytes of every line that no hunk removes', () => {
    const word = fc.string({ unit: fc.constantFrom('a', 'b', ' ', '\t', 'é'), maxLength: 5 });
    fc.assert(
      fc.property(
        fc.uniqueArray(word, { minLength: 1, maxLength: 10 }),
        fc.nat(),
        fc.boolean(),
        fc.boolean(),
        (lines, at, crLf, open) => {
          const end = crLf ? '\r\n' : '\n';
          const index = at % lines.length;
          const text = lines.join(end) + (open ? '' : end);
          const numbered = lines.map((line, position) => `${position}${line}`);
          const source = text
            .split(end)
            .map((line, position) => (position < lines.length ? `${position}${line}` : line))
            .join(end);
          const context = index > 0 ? ` ${(numbered[index - 1] ?? '').trimEnd()}\n` : '';
          const [change] = parsePatch(`*** Update File: f\n${context}-${numbered[index]}\n+new`);
          const result = change?.kind === 'update' ? applyHunks(source, change.hunks, 'f') : '';
          const expected = numbered.map((line, position) => (position === index ? 'new' : line));
          expect(result).toBe(expected.join(end) + (open ? '' : end));
        },
      ),
      { numRuns: 300 },
    );
  });
});
