import { open, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../test/spec/verifies.ts';
import { createApprovalGuard } from '../approvals/index.ts';
import type { Environment } from '../contracts/index.ts';
import { createToolFixture, errorOf } from './tools.fixture.ts';

const GIGABYTE = 1024 ** 3;

describe('repeated read_file calls', () => {
  verifies('TOOL-5', 'report an unchanged file and show a changed one', async () => {
    await using fixture = await createToolFixture();
    await fixture.put('a.txt', 'one\ntwo\nthree\n');
    const read = async (args = {}) => (await fixture.run('read_file', { path: 'a.txt', ...args })).content;
    expect(await read()).toBe('1|one\n2|two\n3|three');
    expect(await read()).toBe(
      'a.txt has not changed since you last read these lines, so they are not repeated. Use the earlier result.',
    );
    expect(await read({ offset: 2 })).toBe('2|two\n3|three');
    await symlink('a.txt', join(fixture.folder, 'b.txt'));
    expect((await fixture.run('read_file', { path: 'b.txt' })).content).toContain('has not changed');
    // A change that keeps both the modification time and the length.
    await writeFile(join(fixture.folder, 'a.txt'), 'one\ntwo\nTHREE\n');
    await utimes(join(fixture.folder, 'a.txt'), 1, 1);
    expect(await read()).toBe('1|one\n2|two\n3|THREE');
    await fixture.run('patch', { path: 'a.txt', old_string: 'two', new_string: '2' });
    await fixture.run('patch', { path: 'a.txt', old_string: '2', new_string: 'two' });
    expect(await read()).toContain('has not changed');
  });

  it('show the file again if the earlier result has left the context, and without an agent', async () => {
    await using fixture = await createToolFixture();
    await fixture.put('a.txt', 'one\n');
    await fixture.run('read_file', { path: 'a.txt' });
    for (const file of fixture.state.seenFiles?.values() ?? []) file.shown.clear();
    expect((await fixture.run('read_file', { path: 'a.txt' })).content).toBe('1|one');
    const args = { path: join(fixture.folder, 'a.txt') };
    for (let times = 0; times < 2; times++) {
      expect((await fixture.tools.dispatchWithoutAgent('read_file', args)).content).toBe('1|one');
    }
  });
});

describe('read_file on other than plain text', () => {
  it('shows invalid UTF-8 with replacement characters and reports it', async () => {
    await using fixture = await createToolFixture();
    await fixture.put('latin.txt', new Uint8Array([0x61, 0xe9, 0x62, 0x0a, 0x63]));
    expect((await fixture.run('read_file', { path: 'latin.txt' })).content).toBe(
      '1|a\uFFFDb\n2|c\n[not valid UTF-8: invalid bytes are shown as \uFFFD]',
    );
    await fixture.put('wide.txt', new Uint8Array([0xff, 0xfe, ...Buffer.from('wide\nö', 'utf16le')]));
    expect((await fixture.run('read_file', { path: 'wide.txt' })).content).toBe('1|wide\n2|ö');
  });

  it('extracts the text of a PDF, or reports that pdftotext is missing', async () => {
    await using fixture = await createToolFixture();
    const read = (path: string, more = {}) => fixture.run('read_file', { path, ...more });
    await fixture.put("it's.pdf", '%PDF-1.7\n...');
    // A PATH with no programs except cat.
    await fixture.run('terminal', { command: 'mkdir bin; ln -s "$(command -v cat)" bin/cat; export PATH=$PWD/bin' });
    expect(errorOf(await read("it's.pdf"))).toMatch(/is a PDF \(12 bytes\).*pdftotext/);
    const program = (lines: string) => fixture.put('bin/pdftotext', `#!/bin/sh\n${lines}\n`);
    await program('[ "$1 $2 $3 $4" = "-q -layout -enc UTF-8" ] && [ -f "$5" ] && printf "one\\n\\ftwo\\n\\n\\f"');
    await fixture.run('terminal', { command: '/bin/chmod +x bin/pdftotext' });
    const note = '[text of a PDF of 2 pages; line numbers refer to this text, not to the file]';
    expect((await read("it's.pdf")).content).toBe(`${note}\n1|--- page 1 ---\n2|one\n3|--- page 2 ---\n4|two`);
    expect((await read("it's.pdf", { offset: 4 })).content).toContain('4|two');
    await program('printf "\\f"');
    expect(errorOf(await read("it's.pdf"))).toContain('without text');
    await program('exit 1');
    expect(errorOf(await read("it's.pdf"))).toContain('damaged or encrypted');
  });

  verifies('TOOL-7', 'reads a few lines of a huge file without reading the rest', async () => {
    let bytes = 0;
    const counting = (environment: Environment): Environment => ({
      ...environment,
      async readFile(path, part) {
        const content = await environment.readFile(path, part);
        bytes += content.length;
        return content;
      },
    });
    await using fixture = await createToolFixture({ adapt: counting });
    const file = await open(join(fixture.folder, 'huge.log'), 'w');
    await file.write(Array.from({ length: 5000 }, (_, index) => `line ${index + 1}\n`).join(''));
    await file.truncate(3 * GIGABYTE);
    await file.close();
    const { content } = await fixture.run('read_file', { path: 'huge.log', offset: 4000, limit: 2 });
    expect(content).toBe('4000|line 4000\n4001|line 4001\n[lines 4000–4001 of a long file; continue with offset 4002]');
    expect(bytes).toBeLessThan(4 * 1024 * 1024);
  });

  it('finds lines across chunk boundaries', async () => {
    await using fixture = await createToolFixture();
    const long = 'é'.repeat(700_000);
    await fixture.put('a.txt', `${long}\r\nsecond\n${long}\nlast`);
    expect((await fixture.run('read_file', { path: 'a.txt', offset: 2, limit: 1 })).content).toMatch(/^2\|second\n/);
    expect((await fixture.run('read_file', { path: 'a.txt', offset: 4 })).content).toBe('4|last');
    const { content } = await fixture.run('read_file', { path: 'a.txt', offset: 3, limit: 1, column: 699_999 });
    expect(content).toBe('3|éé\n[lines 3–3 of 4; continue with offset 4]');
  });

  it('stops when it is interrupted', async () => {
    await using fixture = await createToolFixture();
    await fixture.put('a.txt', 'x');
    expect((await fixture.run('read_file', { path: 'a.txt' }, AbortSignal.abort())).status).toBe('interrupted');
  });
});

describe('files with credentials', () => {
  function guarded() {
    const guard = createApprovalGuard({});
    return {
      ...guard,
      judgeRead: (path: string) =>
        path.endsWith('/.secret')
          ? { verdict: 'ask' as const, reasons: [{ rule: 'read credentials', matched: path }] }
          : { verdict: 'allow' as const, reasons: [] },
    };
  }

  verifies('APPR-4', 'are read only with approval, also through links, and never searched', async () => {
    await using fixture = await createToolFixture({ set: { approvals: guarded() }, answers: ['deny', 'once'] });
    await fixture.put('.secret', 'KEY=needle\n');
    await fixture.put('open.txt', 'needle\n');
    await symlink('.secret', join(fixture.folder, 'innocent.txt'));
    expect((await fixture.run('read_file', { path: 'innocent.txt' })).status).toBe('denied');
    expect((await fixture.run('read_file', { path: 'innocent.txt' })).content).toBe('1|KEY=needle');
    expect(fixture.asked.map(({ subject }) => subject)).toEqual([
      join(fixture.folder, '.secret'),
      join(fixture.folder, '.secret'),
    ]);
    const found = await fixture.run('search_files', { pattern: 'needle', file_glob: '{.secret,*.txt}' });
    expect(found.content).toBe('open.txt\n1:needle\n[skipped 1 file with credentials]');
    const named = await fixture.run('search_files', { pattern: 'needle', path: '.secret' });
    expect(named.content).toContain('No matches.');
  });
});
