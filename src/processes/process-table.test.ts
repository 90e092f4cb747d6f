import { cp, mkdir, mkdtemp, readdir, readFile, realpath, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { verifies } from '../../test/spec/verifies.ts';
import type { BackgroundProcess, Environment, SessionProcesses } from '../contracts/index.ts';
import { createLocalEnvironment } from '../environments/index.ts';
import { createFakeClock } from '../testing/index.ts';
import { createProcessTable } from './index.ts';

const never = new AbortController().signal;

describe('createProcessTable', () => {
  let root: string;
  let folder: string;
  let environment: Environment;
  beforeEach(async () => {
    root = await realpath(await mkdtemp(join(tmpdir(), 'hermes-processes-')));
    folder = join(root, 'processes');
    environment = createLocalEnvironment({ workingDirectory: root });
  });
  afterEach(async () => {
    await environment.close();
    await rm(root, { recursive: true, force: true });
  });

  const begin = (processes: SessionProcesses, command: string, more = {}) =>
    processes.start({ command, workingDirectory: root, ...more });
  const tables = async () => (await readdir(folder)).filter((name) => name.endsWith('.json'));

  /** Changes the table files as if the process that wrote them had been killed. */
  async function disown(): Promise<void> {
    for (const name of await tables()) {
      const content = JSON.parse(await readFile(join(folder, name), 'utf8')) as { owner: object };
      await writeFile(join(folder, name), JSON.stringify({ ...content, owner: { ...content.owner, startTime: 'x' } }));
    }
  }

  async function untilSaved(process: BackgroundProcess, text: string): Promise<void> {
    const file = join(folder, `${process.id}.txt`);
    while (!(await readFile(file, 'utf8').catch(() => '')).includes(text))
      await new Promise((resolve) => setTimeout(resolve, 5));
  }

  verifies('TOOL-6', 'saves running processes in a private file, and removes it on close', async () => {
    const table = createProcessTable({ folder });
    const processes = table.forSession('s', environment);
    const one = await begin(processes, 'echo up; read line');
    const [name = ''] = await tables();
    expect((await stat(join(folder, name))).mode & 0o777).toBe(0o600);
    expect((await stat(folder)).mode & 0o777).toBe(0o700);
    await untilSaved(one, 'up');
    await table.close();
    expect(one.ending()).toBeDefined();
    expect(await readdir(folder)).toEqual([]);
  });

  verifies('TOOL-6', 'recovers a process of a killed Hermes process with its output, and can kill it', async () => {
    const first = createProcessTable({ folder });
    const left = await begin(first.forSession('s', environment), 'echo printed before; read line', {
      notifyOnComplete: true,
    });
    await untilSaved(left, 'printed before');
    await disown();

    const second = createProcessTable({ folder });
    await second.recover('new', environment);
    const notice = await second.notices.deliver('new', async () => undefined);
    expect(notice).toContain(`- ${left.id} (echo printed before; read line), pid ${left.pid}`);
    const [found] = await second.forSession('new', environment).list();
    expect(found).toMatchObject({ id: left.id, recovered: true, pid: left.pid });
    expect(found?.output.text()).toBe('printed before\n');
    expect(found?.ending()).toBeUndefined();
    await expect(found?.write('x')).rejects.toThrow('its stdin was lost');
    expect(await tables()).toHaveLength(1);
    expect(await found?.kill()).toBe(true);
    expect(found?.ending()).toMatchObject({ exitCode: undefined, signalName: undefined });
    expect(await second.notices.deliver('s', async () => undefined)).toContain('exited (exit code unknown)');
    await left.untilEnded(never);
    await second.close();
    await first.close();
    expect(await readdir(folder)).toEqual([]);
  });

  verifies('TOOL-6', 'ignores the table file of a running Hermes process, and invalid files', async () => {
    const first = createProcessTable({ folder });
    await begin(first.forSession('s', environment), 'read line');
    await writeFile(join(folder, 'table_broken.json'), '{"owner": 1}');
    const second = createProcessTable({ folder });
    await second.recover('s', environment);
    expect(await second.forSession('s', environment).list()).toEqual([]);
    await second.close();
    await first.close();
    expect(await readdir(folder)).toEqual(['table_broken.json']);
  });

  it('leaves recovered processes in the table file on close, and reports those that have exited', async () => {
    const first = createProcessTable({ folder });
    const processes = first.forSession('s', environment);
    const runs = await begin(processes, 'read line');
    const ends = await begin(processes, 'read line', { notifyOnComplete: true });
    // A copy of the folder, because the first table continues to write to the original.
    const elsewhere = join(root, 'elsewhere');
    await disown();
    await cp(folder, elsewhere, { recursive: true });
    await ends.kill();

    const second = createProcessTable({ folder: elsewhere });
    await second.recover('s', environment);
    expect(await second.notices.deliver('s', async () => undefined)).toMatch(
      new RegExp(`${ends.id} .*exited \\(exit code unknown\\)[^]*${runs.id}`),
    );
    await second.close();
    expect(runs.ending()).toBeUndefined();
    expect(await readFile(join(elsewhere, (await readdir(elsewhere))[0] ?? ''), 'utf8')).toContain(runs.id);
    await first.close();
  });

  verifies(
    ['TOOL-6', 'STORE-5'],
    'moves processes and notices to the child session that continues a session',
    async () => {
      const table = createProcessTable({ folder });
      const before = table.forSession('parent', environment);
      const one = await begin(before, 'read line', { notifyOnComplete: true });
      const ended = await begin(before, 'true', { notifyOnComplete: true });
      await ended.untilEnded(never);
      table.continueSession('parent', 'child');
      table.continueSession('child', 'grandchild');
      const after = table.forSession('grandchild', environment);
      expect((await after.list()).map(({ id }) => id)).toEqual([one.id, ended.id]);
      expect(await table.forSession('other', environment).list()).toEqual([]);
      // The grandchild receives both the notices that were queued for its parent and later ones.
      expect(await table.notices.deliver('grandchild', async () => undefined)).toContain(ended.id);
      const late = await begin(before, 'read line');
      await one.kill();
      expect(await table.notices.deliver('grandchild', async () => undefined)).toContain(one.id);
      expect((await after.list()).map(({ id }) => id)).toContain(late.id);
      const [name = ''] = await tables();
      expect(JSON.parse(await readFile(join(folder, name), 'utf8'))).toMatchObject({
        processes: expect.arrayContaining([expect.objectContaining({ id: late.id, sessionId: 'grandchild' })]),
      });
      await table.close();
    },
  );

  verifies(
    'TOOL-6',
    'reports a process in another location once, and keeps it in the file until that location is used',
    async () => {
      const first = createProcessTable({ folder });
      const far = { ...environment, location: 'ssh me@far:22' };
      const left = await begin(first.forSession('s', far), 'read line');
      await disown();
      const notice = async (place: Environment) => {
        const table = createProcessTable({ folder });
        await table.recover('new', place);
        const text = await table.notices.deliver('new', async () => undefined);
        await table.close();
        return text;
      };
      expect(await notice(environment)).toContain(`- ${left.id} (read line), pid ${left.pid}, ssh me@far:22`);
      expect(await notice(environment)).toBeUndefined();
      expect(await notice({ ...environment, location: 'ssh me@near:22' })).toBeUndefined();
      expect(await notice(far)).toMatch(new RegExp(`are still running:\\n- ${left.id}`));
      await first.close();
    },
  );

  it('keeps processes running on close if configured', async () => {
    const table = createProcessTable({ folder, keepsRunning: true });
    const kept = await begin(table.forSession('s', environment), 'read line');
    await table.close();
    expect(kept.ending()).toBeUndefined();
    expect(await kept.kill()).toBe(true);
  });

  it('removes finished processes after 30 minutes', async () => {
    const clock = createFakeClock();
    const table = createProcessTable({ clock });
    const processes = table.forSession('s', environment);
    const short = await begin(processes, 'true');
    await short.untilEnded(never);
    clock.advance(30 * 60_000);
    expect(await processes.list()).toHaveLength(1);
    clock.advance(1);
    expect(await processes.list()).toEqual([]);
    await table.close();
  });

  it('queues notices again if delivery fails, and replaces older line notices', async () => {
    const clock = createFakeClock();
    const table = createProcessTable({ clock });
    const echo = await begin(table.forSession('s', environment), 'cat', { watchPatterns: ['x'] });
    const say = async (text: string) => {
      await echo.write(`${text}\n`);
      while (!echo.output.text().includes(text)) await new Promise(setImmediate);
      for (let at = 0; at < 3; at += 1) await new Promise(setImmediate);
    };
    await say('x 1');
    clock.advance(15_000);
    await say('x 2');
    await expect(table.notices.deliver('s', () => Promise.reject(new Error('disk full')))).rejects.toThrow('disk full');
    const notice = await table.notices.deliver('s', async () => undefined);
    expect(notice).toMatch(/printed:\nx 2\n\(This notice replaces 1 earlier notice\.\)$/);
    await table.close();
  });

  it('tolerates any content in its folder', async () => {
    await mkdir(folder);
    await fc.assert(
      fc.asyncProperty(fc.oneof(fc.json(), fc.string()), async (content) => {
        await writeFile(join(folder, 'table_other.json'), content);
        const table = createProcessTable({ folder });
        expect(await table.forSession('s', environment).list()).toEqual([]);
        await table.close();
      }),
      { numRuns: 50 },
    );
  });
});
