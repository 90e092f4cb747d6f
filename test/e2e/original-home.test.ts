import { expect, it } from 'vitest';
import { configFor, useCliFixture } from '../support/cli-fixture.ts';
import { ORIGINAL_SECRET, writeOriginalHome } from '../support/original/write-original-home.ts';
import { runHermes } from '../support/run-hermes.ts';

const cli = useCliFixture();

/** Runs a command; no output may contain a secret. */
async function hermes(...args: string[]) {
  const result = await runHermes(args, { home: cli.home });
  expect(result.stdout + result.stderr).not.toContain(ORIGINAL_SECRET);
  return result;
}

it.each([{ schema: 6 }, { schema: 26 }, { schema: 30 }])(
  'a whole home of the original with schema $schema works',
  async ({ schema }) => {
    await writeOriginalHome(cli.home, { schema, model: configFor(cli.server) });
    expect((await hermes('config', 'check')).exitCode).toBe(0);
    expect((await hermes('auth', 'list')).stdout).toMatch(/openai-codex\n {2}login/);
    expect((await hermes('skills', 'list')).stdout).toContain('tidy');
    expect((await hermes('memory', 'show')).stdout).toContain('Ada lives in Bern.');
    const doctor = (await hermes('doctor', '--offline')).stdout;
    expect(doctor).toMatch(/notify\S*/);
    expect(doctor.includes('are not imported')).toBe(schema > 6);
    const { stdout: report } = await hermes('sessions', 'import', `${cli.home.path}/state.db`);
    // The database of schema 6 is shared, so its sessions are here already.
    expect(report).toContain(schema > 6 ? 'Imported 3 sessions' : '3 sessions already exist');
    expect((await hermes('sessions', 'search', 'walrus')).stdout).toContain('20260401_100000_aaaaaa');
    cli.server.setScript(() => ({ text: 'Hello, Ada.' }));
    const { stdout, stderr } = await hermes('-z', 'hello');
    expect(stdout).toContain('Hello, Ada.');
    expect(stderr).toContain('without effect');
    const sent = JSON.stringify(cli.server.requests[0]?.body);
    for (const text of ['You are a calm assistant.', 'Ada lives in Bern.']) expect(sent).toContain(text);
    expect(sent.includes('Be brief.')).toBe(schema === 6);
    expect((await hermes('-z', 'hello')).stderr).not.toContain('without effect');
  },
);

it('translated keys are renamed by config migrate', async () => {
  await cli.home.write(
    'config.yaml',
    'terminal: { docker_network: false }\nbedrock: { region: eu-west-1 }\ncron: { max_parallel_jobs: 3 }\n',
  );
  expect((await hermes('config', 'migrate')).stdout).toContain('terminal.docker_network → terminal.container_network');
  expect((await hermes('config', 'get', 'providers.bedrock.region')).stdout).toContain('eu-west-1');
  expect(await cli.home.read('config.yaml')).not.toContain('max_parallel_jobs');
  expect((await hermes('config', 'check')).stdout).not.toContain('deprecated');
});
