import { cp, mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { runHermes } from '../../src/testing/index.ts';
import { useCliFixture } from '../support/cli-fixture.ts';
import { fullDoseOnly } from '../support/dose.ts';

const ROOT = join(import.meta.dirname, '../..');
const cli = useCliFixture();
const CALL = { name: 'terminal', arguments: { command: 'echo from-a-command' } };

/** What a request needs, and what follows it. */
const ANSWER = /^part-answer-[0-9A-Z]{8}(?:-code)?\.js$/;

describe('a program with only its first two files', () => {
  let copy: string;
  beforeEach(async () => {
    await cli.configure('  context_length: 100000\n');
    // Runs once, so that the one-time work for a new home is already done.
    cli.server.setScript([{ text: 'First.' }]);
    await runHermes(['-z', 'hi'], { home: cli.home });
    copy = join(cli.home.userHome, 'copy');
    await mkdir(copy);
    for (const name of ['bin', 'dist', 'package.json']) {
      await cp(join(ROOT, name), join(copy, name), { recursive: true });
    }
    const dist = join(copy, 'dist');
    const parts = (await readdir(dist)).filter((name) => name.startsWith('part-'));
    expect(parts.length).toBeGreaterThan(50);
    await Promise.all(parts.filter((name) => !ANSWER.test(name)).map((name) => rm(join(dist, name))));
  });
  const hermes = (args: string[]) => runHermes(args, { home: cli.home, script: join(copy, 'bin/hermes.js') });

  it('can answer, because they have everything for a first request and its answer', async () => {
    cli.server.setScript([{ text: 'Hello.' }]);
    const { exitCode, stdout, stderr } = await hermes(['-z', 'hi']);
    expect({ exitCode, stdout, stderr }).toEqual({ exitCode: 0, stdout: 'Hello.\n', stderr: '' });
  });

  it('reports a missing file when it needs one, and continues', fullDoseOnly, async () => {
    cli.server.setScript([{ toolCalls: [CALL] }, { text: 'Too bad.' }]);
    expect(await hermes(['-z', 'go'])).toMatchObject({ exitCode: 0, stdout: 'Too bad.\n' });
    expect(JSON.stringify(cli.server.requests.at(-1)?.body)).toContain('terminal could not be loaded');
    const { exitCode, stderr } = await hermes(['sessions', 'list']);
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(/a part of hermes is missing.*another version/);
  });
});
