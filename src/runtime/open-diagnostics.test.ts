import { existsSync, readlinkSync } from 'node:fs';
import { copyFile, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { OWNER } from '../base/index.ts';
import { type LanguageServerSettings, loadSettings, type Settings } from '../config/index.ts';
import type { RouteSource } from '../contracts/index.ts';
import { sandboxSkipReason } from '../environments/skip-tests.fixture.ts';
import { createScriptedModel, createTemporaryHome, type TemporaryHome } from '../testing/index.ts';
import { type AgentBlueprint, createAgent, openServices, type Services } from './index.ts';

const SCRIPTED = join(import.meta.dirname, '../language-servers/scripted-server.fixture.ts');
const missing = sandboxSkipReason();
const REPORT = '[scripted reports 1 error in a.x after this change]\n1:3 error: bad\n[End of diagnostics]';

describe('diagnostics of an agent', () => {
  let home: TemporaryHome;
  let settings: Settings;
  let services: Services;
  beforeEach(async () => {
    home = await createTemporaryHome();
    settings = await loadSettings({ home: home.path, env: {} });
    services = await openServices({ settings, workingDirectory: home.workspace });
  });
  afterEach(async () => {
    await services.close();
    await home.remove();
  });

  /** Runs a turn that writes a file, and returns the result that the model reads. */
  async function writeWith(
    command: readonly string[],
    changes: Partial<AgentBlueprint> & Pick<AgentBlueprint, 'attended'>,
    changed: Partial<Settings> = {},
  ): Promise<string> {
    const scripted: LanguageServerSettings = { command, extensions: ['x'], disabled: false };
    const diagnostics = { mode: 'chat', detect: false, waitSeconds: 30, maxLines: 10 } as const;
    const write = { name: 'write_file', arguments: { path: 'a.x', content: 'bad' } };
    const client = createScriptedModel([{ toolCalls: [write] }, { text: 'done' }]);
    const about = { provider: 'p', model: 'm', baseUrl: 'scripted://', apiMode: 'chat_completions' } as const;
    const source: RouteSource = { ...about, open: async () => ({ ...about, contextLength: undefined, client }) };
    const opened = await createAgent(services, {
      settings: { ...settings, languageServers: { scripted }, diagnostics, ...changed },
      routes: [source],
      source: 'cli',
      surface: 'cli',
      actor: OWNER,
      workingDirectory: home.workspace,
      ...changes,
    });
    await opened.agent.chat('write it');
    await opened.close();
    await rm(join(home.workspace, 'a.x'));
    const last = client.requests[1]?.messages.findLast(({ role }) => role === 'tool');
    return String(last?.content);
  }

  /** The sandbox has its own /tmp, so a file that was installed in there is copied to the workspace. */
  async function visibleInSandbox(path: string): Promise<string> {
    if (!path.startsWith('/tmp/')) return path;
    const copy = join(home.workspace, basename(path));
    await copyFile(path, copy);
    return copy;
  }

  it('are added in a chat, in other runs only if the settings say so, and their server ends with the agent', async () => {
    const log = join(home.workspace, 'pid');
    const server = ['/bin/sh', '-c', `echo $$ >${log}; exec ${process.execPath} ${SCRIPTED} push`];
    expect(await writeWith(server, { attended: true })).toBe(`Created a.x (1 line, 3 bytes).\n\n${REPORT}`);
    expect(existsSync(`/proc/${(await readFile(log, 'utf8')).trim()}/exe`)).toBe(false);
    await rm(log);
    expect(await writeWith(server, { attended: false })).toBe('Created a.x (1 line, 3 bytes).');
    const off = { mode: 'off', detect: false, waitSeconds: 30, maxLines: 10 } as const;
    expect(await writeWith(server, { attended: true }, { diagnostics: off })).not.toContain('reports');
    expect(existsSync(log)).toBe(false);
    expect(await writeWith(server, { attended: false }, { diagnostics: { ...off, mode: 'all' } })).toContain(REPORT);
  });

  it('come from a program of the project only in a chat, and only if the project is trusted', async () => {
    const program = join(home.workspace, 'server');
    await writeFile(program, `#!/bin/sh\nexec ${process.execPath} ${SCRIPTED} push\n`, { mode: 0o755 });
    const skills = { ...settings.skills, trustedProjectDirs: [home.workspace] };
    const all = { mode: 'all', detect: false, waitSeconds: 30, maxLines: 10 } as const;
    expect(await writeWith([program], { attended: true })).not.toContain('reports');
    expect(await writeWith([program], { attended: true }, { skills })).toContain(REPORT);
    expect(await writeWith([program], { attended: false }, { skills, diagnostics: all })).not.toContain('reports');
  });

  it.skipIf(missing !== '')(`come from a program of the project in the sandbox${missing}`, async () => {
    const program = join(home.workspace, 'server');
    const node = await visibleInSandbox(process.execPath);
    const server = await visibleInSandbox(SCRIPTED);
    const script = `#!/bin/sh\nreadlink /proc/self/ns/mnt >namespace\nexec ${node} ${server} push\n`;
    await writeFile(program, script, { mode: 0o755 });
    const terminal = { ...settings.terminal, backend: 'sandbox' } as const;
    expect(await writeWith([program], { attended: true }, { terminal })).toContain(REPORT);
    const namespace = (await readFile(join(home.workspace, 'namespace'), 'utf8')).trim();
    expect(namespace).toMatch(/^mnt:/);
    expect(namespace).not.toBe(readlinkSync('/proc/self/ns/mnt'));
  });

  it('do not come from a command that would need approval', async () => {
    const command = ['/bin/sh', '-c', `rm -rf /var/tmp/x; exec ${process.execPath} ${SCRIPTED} push`];
    expect(await writeWith(command, { attended: true })).not.toContain('reports');
  });
});
