import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { verifies } from '../../../test/spec/verifies.ts';
import { fullDoseOnly } from '../../../test/support/dose.ts';
import type { Environment } from '../../contracts/index.ts';
import { describeWithSshServer } from '../skip-tests.fixture.ts';
import { type CountingProxy, startCountingProxy } from './counting-proxy.fixture.ts';
import { createSshEnvironment } from './ssh.ts';

const options = { timeoutMs: 20_000, signal: new AbortController().signal, maxOutput: 10_000 };
const DELAY_MS = 5;
const COMMANDS = 20;

describeWithSshServer((server) => {
  let proxy: CountingProxy;
  let environment: Environment;
  beforeAll(async () => {
    proxy = await startCountingProxy(server().port, DELAY_MS);
    server().connectThrough(proxy.port);
    environment = await createSshEnvironment({ host: server().host, env: server().env });
  });
  afterEach(() => environment.run('true', options));
  afterAll(async () => {
    await environment.close();
    await proxy.close();
  });

  verifies('TOOL-6', 'a command over ssh takes one round trip and no process of its own', async () => {
    await environment.run('cd /usr; export KEPT=1', options);
    const [trips, processes] = [proxy.roundTrips(), server().processes()];
    for (let round = 0; round < COMMANDS; round++) {
      const { output } = await environment.run(`echo "${round} $KEPT $PWD"; exit 0`, options);
      expect(output).toBe(`${round} 1 /usr\n`);
    }
    const perCommand = (proxy.roundTrips() - trips) / COMMANDS;
    expect(perCommand).toBeGreaterThanOrEqual(1);
    expect(perCommand).toBeLessThanOrEqual(1.5);
    expect(server().processes() - processes).toBe(0);
  });

  it('file operations take one round trip each, and several at a time share it', async () => {
    await environment.writeFile('/tmp/hermes-round-trips', 'abc');
    const [trips, processes] = [proxy.roundTrips(), server().processes()];
    expect(Buffer.from(await environment.readFile('/tmp/hermes-round-trips')).toString()).toBe('abc');
    await environment.writeFile('/tmp/hermes-round-trips', 'x'.repeat(50_000));
    expect(await environment.stat('/tmp/hermes-round-trips')).toMatchObject({ size: 50_000 });
    await environment.removeFile('/tmp/hermes-round-trips');
    expect(proxy.roundTrips() - trips).toBeLessThanOrEqual(6);
    await Promise.all(Array.from({ length: 12 }, () => environment.stat('/usr')));
    expect(server().processes() - processes).toBeLessThanOrEqual(1);
  });

  verifies('TOOL-6', 'a command is not run again if the connection breaks after it was sent', async () => {
    const file = join(server().folder, 'once');
    const broken = proxy.breakAtNextRequest(true);
    const running = environment.run(`echo run >>'${file}'`, options);
    await broken;
    await expect(running).rejects.toThrow(/connection was lost while the command was being started.*not sent again/);
    expect(readFileSync(file, 'utf8')).toBe('run\n');
  });

  verifies('TOOL-6', 'a command is sent again if the connection broke before it arrived', async () => {
    const file = join(server().folder, 'again');
    const broken = proxy.breakAtNextRequest(false);
    const running = environment.run(`echo run >>'${file}'; cat '${file}'`, options);
    await broken;
    expect((await running).output).toBe('run\n');
  });

  verifies('TOOL-6', 'no command runs twice while the connection keeps breaking', fullDoseOnly, async () => {
    const file = join(server().folder, 'breaks');
    const done: string[] = [];
    const runOnce = async (id: string) => {
      const running = environment.run(`echo ${id} >>'${file}'; echo ${id}`, options);
      const { output } = await running.catch((thrown: Error) => ({ output: thrown.message }));
      if (output === `${id}\n`) done.push(id);
      else expect(output).toMatch(/connection was lost|Could not connect/);
    };
    for (let round = 0; round < 12; round++) {
      if (round % 3 > 0) void proxy.breakAtNextRequest(round % 2 === 0);
      await Promise.all([runOnce(`${round}-a`), runOnce(`${round}-b`)]);
    }
    const ran = readFileSync(file, 'utf8').trim().split('\n');
    expect(new Set(ran).size).toBe(ran.length);
    expect(done.filter((id) => !ran.includes(id))).toEqual([]);
    expect(done.length).toBeGreaterThan(8);
  });

  it('output of a detached process does not appear in the next command', async () => {
    const late = join(server().folder, 'late');
    const wait = `until [ -e '${late}' ]; do sleep 0.02; done`;
    await environment.run(`setsid sh -c "${wait}; echo stray; rm '${late}'" &`, options);
    const { output } = await environment.run(
      `touch '${late}'; while [ -e '${late}' ]; do sleep 0.02; done; echo mine`,
      options,
    );
    expect(output).toBe('mine\n');
  });

  it('a background process leaves a shell for the next command', async () => {
    const process = await environment.start('read line; echo "got $line"');
    const [trips] = [proxy.roundTrips()];
    const running = environment.run('echo now', options);
    expect((await running).output).toBe('now\n');
    expect(proxy.roundTrips() - trips).toBeLessThanOrEqual(4);
    let output = '';
    process.onOutput((text) => (output += text));
    await process.write('it\n');
    await process.ended;
    expect(output).toBe('got it\n');
  });
});
