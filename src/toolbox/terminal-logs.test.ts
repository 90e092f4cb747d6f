import { chmod, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../test/spec/verifies.ts';
import { createToolFixture, type ToolFixtureOptions } from './tools.fixture.ts';

/** Prints a log of 40,000 characters with one failure in the middle. */
const RUN_TESTS = `#!/bin/sh
for n in $(seq 1 500); do echo " ✓ src/part-$n.test.ts (12 tests) 34ms"; done
echo " FAIL  src/math.test.ts > adds"
echo "AssertionError: expected 1 to be 2"
for n in $(seq 501 1000); do echo " ✓ src/part-$n.test.ts (12 tests) 34ms"; done
echo " Tests  1 failed | 1000 passed"
exit 1
`;

async function createRunner(options: ToolFixtureOptions = {}) {
  const other = await createToolFixture();
  const spillFolder = join(other.root, 'spill');
  const fixture = await createToolFixture({ ...options, set: { spillFolder, ...options.set } });
  await fixture.put('run-tests.sh', RUN_TESTS);
  await chmod(join(fixture.folder, 'run-tests.sh'), 0o755);
  return {
    fixture,
    spillFolder,
    async [Symbol.asyncDispose]() {
      await fixture[Symbol.asyncDispose]();
      await other[Symbol.asyncDispose]();
    },
  };
}

describe('the log of a test run', () => {
  verifies('TOOL-6', 'is shown as its beginning, failures and end, and saved in full', async () => {
    await using runner = await createRunner();
    const { fixture, spillFolder } = runner;
    const { status, content } = await fixture.run('terminal', { command: './run-tests.sh' });
    expect(status).toBe('error');
    expect(content.length).toBeLessThan(8500);
    expect(content).toMatch(/^ ✓ src\/part-1\.test/);
    expect(content).toContain(' FAIL  src/math.test.ts > adds\nAssertionError: expected 1 to be 2\n');
    const [file = ''] = await readdir(join(spillFolder, 's'));
    const path = join(spillFolder, 's', file);
    expect(content).toMatch(
      / Tests {2}1 failed \| 1000 passed\n\[truncated to the beginning, the failures and the end: /,
    );
    expect(content).toContain(`full output saved to ${path}; read it with read_file]\n[exit code 1]`);
    const whole = await readFile(path, 'utf8');
    expect(whole.split('\n')).toHaveLength(1004);
    const figures = /end: ([\d,]+) of ([\d,]+) characters shown/.exec(content)?.slice(1) ?? [];
    expect(Number(figures[1]?.replace(',', ''))).toBe(whole.length);
    expect((await fixture.run('read_file', { path, offset: 501, limit: 2 })).content).toMatch(
      /^501\| FAIL {2}src\/math/,
    );
  });

  verifies('TOOL-6', 'is shown in full if it is short, cannot be saved, or was not printed by a test run', async () => {
    await using runner = await createRunner();
    const { fixture, spillFolder } = runner;
    const short = await fixture.run('terminal', { command: './run-tests.sh | tail -200' });
    expect(short.content).not.toContain('truncated');
    await fixture.run('terminal', { command: './run-tests.sh > log.txt' });
    const printed = await fixture.run('terminal', { command: 'cat log.txt' });
    expect(printed.content).toBe((await fixture.get('log.txt')).trimEnd());
    await expect(readdir(spillFolder)).rejects.toThrow('ENOENT');
    await using unsaved = await createRunner({ set: { spillFolder: undefined } });
    const content = (await unsaved.fixture.run('terminal', { command: './run-tests.sh' })).content;
    expect(content).toContain('part-250.test');
  });

  it('fits a small context window', async () => {
    await using runner = await createRunner({ contextLength: 8000 });
    const { content } = await runner.fixture.run('terminal', { command: './run-tests.sh' });
    expect(content.length).toBeLessThanOrEqual(4800);
    expect(content).toContain('AssertionError: expected 1 to be 2');
    expect(content).not.toContain('characters omitted');
  });

  it('is shown in the same way if the command runs in the background', async () => {
    await using runner = await createRunner();
    const { fixture } = runner;
    const started = await fixture.run('terminal', { command: './run-tests.sh', background: true });
    const [id] = /proc_\w+/.exec(started.content) ?? [];
    const { content } = await fixture.run('process', { action: 'wait', session_id: id as string });
    expect(content.length).toBeLessThan(8500);
    expect(content).toContain(' FAIL  src/math.test.ts > adds\nAssertionError: expected 1 to be 2\n');
    expect(content).toMatch(/failed \| 1000 passed\n\[this is the beginning, .* action log shows all of it\]$/);
    const page = await fixture.run('process', { action: 'log', session_id: id as string, offset: 501, limit: 1 });
    expect(page.content).toContain('FAIL  src/math');
  });
});
