import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { verifies } from '../../../test/spec/verifies.ts';
import { fullDoseOnly } from '../../../test/support/dose.ts';
import type { Environment } from '../../contracts/index.ts';
import { createEnvironment } from '../index.ts';
import { createSshEnvironment } from './ssh.ts';
import { sshSkipReason } from '../skip-tests.fixture.ts';
import { runProcessThatExits } from './ssh-exit.fixture.ts';
import { type SshServer, startSshServer } from './ssh-server.fixture.ts';
import { waitUntil } from '../../../test/support/wait-until.ts';

const options = { timeoutMs: 20_000, signal: new AbortController().signal, maxOutput: 10_000 };

const missing = sshSkipReason();
describe.skipIf(missing !== '')(`an SSH environment${missing}`, () => {
  let server: SshServer;
  const opened: Environment[] = [];
  beforeAll(async () => {
    server = await startSshServer();
  });
  afterEach(async () => {
    for (const environment of opened.splice(0)) await environment.close();
    server.configure([]);
  });
  afterAll(() => server.close());
  async function open(changes: Partial<Parameters<typeof createSshEnvironment>[0]> = {}) {
    const environment = await createSshEnvironment({ host: server.host, env: server.env, ...changes });
    opened.push(environment);
    return environment;
  }
  it('starts in the remote home directory or the configured one', fullDoseOnly, async () => {
    const environment = await open();
    expect((await environment.run('pwd', options)).output).toBe(`${server.folder}\n`);
    expect(environment.workingDirectory).toBe(server.folder);
    expect(environment.system).toMatch(/^Linux on the machine test-box/);
    expect((await open({ workingDirectory: '/usr' })).currentDirectory()).toBe('/usr');
    await expect(open({ workingDirectory: '/nowhere' })).rejects.toMatchObject({ hint: 'Check terminal.cwd.' });
  });

  it('receives no local variables and no agent', async () => {
    const environment = await open({ env: { ...server.env, LOCAL_ONLY: 'x', SSH_AUTH_SOCK: '/run/agent' } });
    expect((await environment.run('echo "[$LOCAL_ONLY][$SSH_AUTH_SOCK]"', options)).output).toBe('[][]\n');
  });

  verifies('TOOL-6', 'reconnects after a lost connection and restores the shell state', async () => {
    const environment = await open();
    await environment.run('cd /usr; export KEPT=1', options);
    const [socket = ''] = server.sockets();
    await loseConnection(server, socket);
    expect((await environment.run('echo "$KEPT $PWD"', options)).output).toBe('1 /usr\n');
    // A stale socket without a listener.
    await loseConnection(server, socket);
    writeFileSync(socket, '');
    expect((await environment.run('echo "$KEPT $PWD"', options)).output).toBe('1 /usr\n');
    expect(await environment.stat('/usr')).toMatchObject({ kind: 'directory' });
  });

  it('leaves nothing behind when it is closed', async () => {
    const environment = await open();
    await environment.run('export A=1', options);
    const folder = (await environment.run('trap', options)).output.match(/\/\S+\/hermes-\w{6}\b/)?.[0] ?? '';
    expect([server.sockets().length, existsSync(folder)]).toEqual([1, true]);
    await environment.close();
    opened.pop();
    expect([server.sockets().length, existsSync(folder)]).toEqual([0, false]);
  });

  it('removes connections and folders when the process exits without closing it', async () => {
    const before = readdirSync(tmpdir());
    expect(await runProcessThatExits(server.host, server.env)).toBe('done\n');
    expect([server.sockets(), readdirSync(tmpdir())]).toEqual([[], before]);
  });

  it('does not wait for a background process that holds the stream', async () => {
    const environment = await open();
    const { output, ended } = await environment.run('sleep 600 & echo $!', options);
    expect(ended).toBe('exit');
    await environment.run(`kill ${output.trim()}`, options);
  });

  it('explains errors of the host key, the login, the host name and the port', async () => {
    const explain = (changes: Parameters<typeof open>[0] = {}) =>
      open(changes).then(
        () => 'it connected',
        (thrown: { message: string; hint: string }) => `${thrown.message} ${thrown.hint}`,
      );
    server.configure(['UserKnownHostsFile /dev/null', 'StrictHostKeyChecking yes']);
    expect(await explain()).toMatch(/host key is unknown.*Connect once manually/);
    server.configure([]);
    expect(await explain({ user: 'nobody-at-all' })).toMatch(/login was rejected.*terminal\.ssh_key/);
    expect(await explain({ host: 'no-such-host.invalid' })).toMatch(/host was not found.*terminal\.ssh_host/);
    expect(await explain({ port: 1 })).toMatch(/cannot be reached.*terminal\.ssh_port/);
    expect(await explain({ host: '-oProxyCommand=x' })).toMatch(/is not a valid host name/);
  });
});

/** Ends the control master, which removes its socket shortly after it has replied. */
async function loseConnection({ host, env }: SshServer, socket: string): Promise<void> {
  execFileSync('ssh', ['-S', socket, '-O', 'exit', host], { env, stdio: 'ignore' });
  await waitUntil(() => expect(existsSync(socket)).toBe(false));
}

describe('createEnvironment', () => {
  const choose = (backend: string) =>
    createEnvironment({
      terminal: { backend, passedVariables: [], sandboxNetwork: true, ssh: {} },
      workingDirectory: '/',
      home: '/nowhere',
    });

  verifies('TOOL-6', 'never falls back to another environment', async () => {
    await expect(choose('nowhere')).rejects.toThrow(
      'terminal.backend: nowhere is not a known backend. Use one of local, sandbox, ssh, docker, singularity, modal, daytona',
    );
    await expect(choose('ssh')).rejects.toMatchObject({ hint: expect.stringContaining('TERMINAL_SSH_HOST') });
    expect((await choose('local')).name).toBe('local');
  });
});
