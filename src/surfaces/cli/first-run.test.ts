import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { useCliFixture } from '../../../test/support/cli-fixture.ts';
import { createTextSink } from '../../../test/support/text-sink.ts';
import { main } from './main.ts';

const fixture = useCliFixture();

async function run(argv: string[]) {
  const workingDirectory = fixture.home.workspace;
  await mkdir(workingDirectory, { recursive: true });
  const [stdout, stderr] = [createTextSink(), createTextSink()];
  const env = { HERMES_HOME: fixture.home.path };
  const stdin = new PassThrough().end();
  const exitCode = await main(argv, { stdin, inputKind: 'stream', stdout, stderr, env, workingDirectory });
  return { exitCode, stdout: stdout.text, stderr: stderr.text };
}

it('shows a tour whose output is in code blocks, and how to connect a model', async () => {
  await mkdir(fixture.home.workspace, { recursive: true });
  await writeFile(join(fixture.home.workspace, 'README.md'), '# Demo\n\n```js\nx\n```\n');
  const { exitCode, stdout } = await run([]);
  expect(exitCode).toBe(0);
  expect(stdout).toContain('These files are here:\n\n```\nREADME.md\n```\n');
  expect(stdout).toContain('It starts with:\n\n````\n# Demo\n\n```js\nx\n```\n````\n');
  const end = stdout.slice(stdout.indexOf('With a real model:'));
  for (const command of ['hermes setup', 'hermes setup --provider', 'hermes auth add', 'hermes init']) {
    expect(end).toContain(`  ${command}`);
  }
});

it('lists the keys of .env with their place, also those of own endpoints', async () => {
  const own =
    'model:\n  provider: mine\n  default: x\ncustom_providers:\n  - {name: mine, base_url: "http://127.0.0.1:9/v1", key_env: MY_KEY}\n';
  await fixture.home.write('config.yaml', own);
  await fixture.home.write('.env', 'MY_KEY=sk-x1234567890abcdefgh\nOPENAI_API_KEY=sk-y1234567890abcdefgh\n');
  const { stdout } = await run(['auth', 'list']);
  expect(stdout).toMatch(
    /^openai\n {2}OPENAI_API_KEY {2}\.env {2}key {2}.*ready\n\ncustom:mine\n {2}MY_KEY {2}\.env {2}key {2}.*ready\n$/,
  );
});

it('explains a key without a default, and one whose value is none', async () => {
  expect((await run(['config', 'explain', 'model.base_url'])).stdout).toMatch(/default +\(no default\)/);
  await fixture.home.write('config.yaml', 'agent:\n  reasoning_effort: none\n');
  expect((await run(['config', 'explain', 'agent.reasoning_effort'])).stdout).toMatch(
    /default +\(no default\)\n +now +none/,
  );
});

it('names the line of the key, not that of a value below it', async () => {
  await fixture.home.write(
    'config.yaml',
    'agent:\n  max_turns:\n    many\nterminal:\n  sandbox:\n    on: x\nfoo:\n  bar: 1\n',
  );
  const { exitCode, stdout } = await run(['config', 'check']);
  expect(exitCode).toBe(1);
  expect(stdout).toContain('line 2: agent.max_turns must be');
  expect(stdout).toContain('line 5: terminal.sandbox is not a known key');
  expect(stdout).toContain('line 7: foo is not a known key');
});
