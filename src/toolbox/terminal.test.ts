import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../test/spec/verifies.ts';
import { createWorkshop, errorOf } from './workshop.fixture.ts';

describe('terminal', () => {
  it('gives the output, and a word about the end only where there is something to say', async () => {
    await using shop = await createWorkshop();
    expect(await shop.run('terminal', { command: 'echo hello' })).toEqual({ status: 'ok', content: 'hello' });
    expect((await shop.run('terminal', { command: 'true' })).content).toBe('(no output)');
    expect((await shop.run('terminal', { command: 'echo out; echo err >&2; exit 4' })).content).toBe(
      'out\nerr\n[exit code 4]',
    );
    expect((await shop.run('terminal', { command: 'echo abc | grep x' })).content).toBe('[exit code 1: no match]');
    expect((await shop.run('terminal', { command: 'no-such-program-here' })).content).toContain(
      '[exit code 127: command not found]',
    );
    expect((await shop.run('terminal', { command: 'kill -SEGV $$' })).content).toBe('[ended by SIGSEGV]');
    expect(shop.progress.join('')).toContain('hello\n');
  });

  it('ends a command whose time is over, and says so', async () => {
    await using shop = await createWorkshop();
    const { content } = await shop.run('terminal', { command: 'echo begun; sleep 60', timeout: 1 });
    expect(content).toMatch(/^begun\n\[stopped after 1 s/);
  });

  it('runs in a folder of its own, and says which folder is not there', async () => {
    await using shop = await createWorkshop();
    await shop.put('sub/x.txt', '');
    expect((await shop.run('terminal', { command: 'ls', workdir: 'sub' })).content).toBe('x.txt');
    expect(errorOf(await shop.run('terminal', { command: 'ls', workdir: 'none' }))).toContain('none is not a folder');
  });

  it('is interrupted with what it had printed', async () => {
    await using shop = await createWorkshop();
    const abort = new AbortController();
    const outcome = shop.run('terminal', { command: 'echo begun; touch begun; sleep 60' }, abort.signal);
    while (!(await readFile(join(shop.folder, 'begun')).catch(() => undefined))) await new Promise(setImmediate);
    abort.abort();
    expect(await outcome).toMatchObject({ status: 'interrupted', content: expect.stringContaining('begun') });
  });

  it('keeps beginning and end of a long output', async () => {
    await using shop = await createWorkshop();
    const { content } = await shop.run('terminal', { command: 'echo first; yes 12345678 | head -c 200000; echo last' });
    expect(content.length).toBeLessThan(50_100);
    expect(content).toMatch(/^first/);
    expect(content).toMatch(/last$/);
    expect(content).toContain('characters left out');
  });

  verifies(['APPR-1', 'APPR-3'], 'a dangerous command with nobody to ask is denied and not run', async () => {
    await using shop = await createWorkshop();
    await shop.put('keep/x.txt', 'x');
    const outcome = await shop.run('terminal', { command: 'rm -rf keep' });
    expect(outcome.status).toBe('denied');
    expect(errorOf(outcome)).toContain('recursive delete');
    expect(errorOf(outcome)).toContain('another way');
    expect(await shop.get('keep/x.txt')).toBe('x');
    expect(shop.asked).toMatchObject([
      { toolName: 'terminal', subject: 'rm -rf keep', reasons: [{ rule: 'recursive delete' }] },
    ]);
  });

  verifies('APPR-3', 'an answer for the session holds for the agent', async () => {
    await using shop = await createWorkshop({ answers: ['session'] });
    expect((await shop.run('terminal', { command: 'rm -rf a' })).status).toBe('ok');
    expect((await shop.run('terminal', { command: 'rm -rf b' })).status).toBe('ok');
    expect(shop.asked).toHaveLength(1);
    expect([...shop.state.approvedRules]).toEqual(['recursive delete']);
  });

  verifies('APPR-2', 'with approvals off only the hard block is left', async () => {
    await using shop = await createWorkshop({ guard: { mode: 'off' } });
    await shop.put('x/y.txt', '');
    expect((await shop.run('terminal', { command: 'rm -rf x' })).status).toBe('ok');
    const outcome = await shop.run('terminal', { command: `rm -rf ${shop.home}`, workdir: '/' });
    expect(outcome.status).toBe('denied');
    expect(errorOf(outcome)).toContain('Blocked (wipe the system or the home folder)');
    expect(shop.asked).toEqual([]);
  });
});
