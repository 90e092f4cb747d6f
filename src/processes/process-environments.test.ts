import { mkdtemp, readdir, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { verifies } from '../../test/spec/verifies.ts';
import type { Environment, ProcessRecord } from '../contracts/index.ts';
import { isRunning, uniqueSeconds, untilRunning } from '../environments/conformance/bench.ts';
import { createLocalEnvironment } from '../environments/index.ts';
import { describeWithSshServer, sandboxSkipReason } from '../environments/skip-tests.fixture.ts';
import { createSandboxEnvironment } from '../environments/local/sandbox.ts';
import { createSshEnvironment } from '../environments/ssh/ssh.ts';
import { createProcessTable } from './index.ts';

const options = { timeoutMs: 20_000, signal: new AbortController().signal, maxOutput: 1000 };

/** Tests the process table with one kind of environment. */
function describeTable(name: string, open: (root: string) => Promise<Environment>, canLeave = true): void {
  describe(`the process table in ${name}`, () => {
    let root: string;
    let folder: string;
    let environment: Environment;
    beforeAll(async () => {
      root = await realpath(await mkdtemp(join(tmpdir(), 'hermes-places-')));
      folder = join(root, 'processes');
      environment = await open(root);
    });
    afterAll(async () => {
      await environment.close();
      await rm(root, { recursive: true, force: true });
    });

    /** Changes the table files as if the process that wrote them had been killed. */
    async function disown(): Promise<void> {
      for (const file of (await readdir(folder)).filter((each) => each.endsWith('.json'))) {
        const content = JSON.parse(await readFile(join(folder, file), 'utf8')) as { owner: object };
        const owner = { ...content.owner, startTime: 'x' };
        await writeFile(join(folder, file), JSON.stringify({ ...content, owner }));
      }
    }

    verifies('TOOL-6', 'recovers foreground and background processes of a killed Hermes process', async () => {
      const [inBackground, inForeground] = [uniqueSeconds(), uniqueSeconds()];
      const first = createProcessTable({ folder });
      const processes = first.forSession('s', environment);
      const started = await processes.start({ command: `sleep ${inBackground}; true`, workingDirectory: root });
      const begun = Promise.withResolvers<ProcessRecord>();
      const command = `sleep ${inForeground}; true`;
      const running = environment.run(command, { ...options, onBegun: begun.resolve });
      await processes.recordForeground({ command, workingDirectory: root }, await begun.promise);
      for (const seconds of [inBackground, inForeground]) await untilRunning(`sleep ${seconds}`);
      await disown();

      const second = createProcessTable({ folder });
      await second.recover('new', environment);
      const notice = await second.notices.deliver('new', async () => undefined);
      expect(notice).toContain(`${started.id} (sleep ${inBackground}; true), pid ${started.pid}`);
      expect(notice).toContain(`(sleep ${inForeground}; true), pid ${(await begun.promise).pid}`);
      for (const found of await second.forSession('new', environment).list()) expect(await found.kill()).toBe(true);
      expect([inBackground, inForeground].filter((seconds) => isRunning(`sleep ${seconds}`))).toEqual([]);
      expect((await running).ended).not.toBe('timeout');
      await second.close();
      await first.close();
      expect(await readdir(folder)).toEqual([]);
    });

    it.skipIf(!canLeave)(
      'adopts an orphaned process of a command, with its output, and kills it on close',
      async () => {
        const seconds = uniqueSeconds();
        const table = createProcessTable({ folder });
        const go = join(root, 'go');
        const command = `{ until [ -e '${go}' ]; do sleep 0.02; done; echo heard; sleep ${seconds}; } & true`;
        const { orphaned } = await environment.run(command, options);
        if (orphaned === undefined) throw new Error('nothing was left');
        const processes = table.forSession('s', environment);
        const adopted = await processes.adopt({ command, workingDirectory: root }, orphaned);
        expect((await processes.list()).map(({ id, recovered }) => [id, recovered])).toEqual([[adopted.id, false]]);
        await writeFile(go, '');
        while (!adopted.output.text().includes('heard')) await new Promise((resolve) => setTimeout(resolve, 5));
        await untilRunning(`sleep ${seconds}`);
        await expect(adopted.write('x')).rejects.toThrow('its stdin was closed');
        await table.close();
        expect(isRunning(`sleep ${seconds}`)).toBe(false);
        expect(await readdir(folder)).toEqual([]);
      },
    );
  });
}

describeTable('local', async (workingDirectory) => createLocalEnvironment({ workingDirectory }));

const sandboxIsMissing = sandboxSkipReason();
describe.skipIf(sandboxIsMissing !== '')(`with bubblewrap${sandboxIsMissing}`, () => {
  const open = (workingDirectory: string) => createSandboxEnvironment({ workingDirectory, network: true, hidden: [] });
  describeTable('a sandbox', open, false);
});

describeWithSshServer((server) => {
  describeTable('another machine', (workingDirectory) =>
    createSshEnvironment({ host: server().host, user: undefined, workingDirectory, env: server().env }),
  );
});
