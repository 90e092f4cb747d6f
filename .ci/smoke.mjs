// Uses an installed package like a user, with a scripted model on loopback. Runs on the Node it is started with.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

const [prefix] = process.argv.slice(2);
const packageFolder = join(prefix, 'lib/node_modules/hermes-agent-ts');
const folder = mkdtempSync(join(tmpdir(), 'hermes-smoke-'));
const work = join(folder, 'work');
const home = join(folder, 'home');

/** Runs `hermes` with the environment of a new machine. */
function hermes(...args) {
  const env = { PATH: `${dirname(process.execPath)}:${process.env.PATH}`, HOME: folder, HERMES_HOME: home };
  return new Promise((resolve) => {
    const child = execFile(join(prefix, 'bin/hermes'), args, { cwd: work, env }, (error, stdout, stderr) =>
      resolve({ code: error ? error.code : 0, stdout, stderr }),
    );
    child.stdin.end();
  });
}

async function expectSuccess(...args) {
  const result = await hermes(...args);
  assert.equal(result.code, 0, `hermes ${args.join(' ')} ended with ${result.code}:\n${result.stderr}`);
  console.log(`ok: hermes ${args.join(' ')}`);
  return result.stdout;
}

const requests = [];

/** Calls one command, then answers with its output. */
async function answer(request, response) {
  let body = '';
  for await (const part of request) body += part;
  const { messages } = JSON.parse(body);
  requests.push(messages);
  const last = messages.at(-1);
  const call = {
    index: 0,
    id: 'call_1',
    type: 'function',
    function: { name: 'terminal', arguments: '{"command":"echo from-the-shell"}' },
  };
  const printed = /from-the-shell/.exec(JSON.stringify(last.content))?.[0];
  const delta = last.role === 'tool' ? { content: `It said ${printed}.` } : { tool_calls: [call] };
  const choices = [{ index: 0, delta: { role: 'assistant', ...delta }, finish_reason: null }];
  const end = [{ index: 0, delta: {}, finish_reason: last.role === 'tool' ? 'stop' : 'tool_calls' }];
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.write(`data: ${JSON.stringify({ choices })}\n\ndata: ${JSON.stringify({ choices: end })}\n\n`);
  response.end('data: [DONE]\n\n');
}

function configure(port) {
  const lines = ['provider: custom', 'default: made-up', `base_url: http://127.0.0.1:${port}/v1`, 'api_key: none'];
  writeFileSync(join(home, 'config.yaml'), `model:\n${lines.map((line) => `  ${line}\n`).join('')}`);
}

async function main(port) {
  const { version } = JSON.parse(readFileSync(join(packageFolder, 'package.json'), 'utf8'));
  assert.ok((await expectSuccess('--version')).includes(version));
  assert.match(await expectSuccess('--help'), /--resume/);
  assert.match(await expectSuccess('--provider', 'demo', '-z', 'list the files here'), /a-file-to-find/);

  const unconfigured = await hermes('-z', 'hello');
  assert.equal(unconfigured.code, 2, 'without a model, -z is a configuration error');
  assert.match(unconfigured.stderr, /hermes setup/);
  assert.equal(unconfigured.stdout, '');

  configure(port);
  assert.equal(await expectSuccess('-z', 'say something'), 'It said from-the-shell.\n');
  assert.equal(await expectSuccess('--continue', '-z', 'and again'), 'It said from-the-shell.\n');
  const contents = requests
    .at(-1)
    .map(({ content }) => JSON.stringify(content))
    .join('\n');
  assert.ok(contents.includes('say something') && contents.includes('and again'), 'the session was continued');

  await checkEntries();
  await checkTerminal();
}

/** The package that is not bundled is found from the folder of the program. */
async function checkTerminal() {
  const { spawn } = createRequire(join(packageFolder, 'dist/run.js'))('@lydell/node-pty');
  const terminal = spawn('/bin/sh', ['-c', 'test -t 0 && exit 7'], {});
  const { exitCode } = await new Promise((resolve) => terminal.onExit(resolve));
  assert.equal(exitCode, 7, 'a command got a terminal');
  console.log('ok: a command can have a terminal');
}

/** The package can be imported by name from a project that has it installed. */
async function checkEntries() {
  mkdirSync(join(work, 'node_modules'));
  symlinkSync(packageFolder, join(work, 'node_modules/hermes-agent-ts'));
  const code = "for (const name of ['hermes-agent-ts', 'hermes-agent-ts/testing']) await import(name);";
  await promisify(execFile)(process.execPath, ['--input-type=module', '-e', code], { cwd: work });
  console.log('ok: hermes-agent-ts and hermes-agent-ts/testing can be imported');
}

const server = createServer((request, response) => {
  answer(request, response).catch((error) => response.writeHead(500).end(String(error)));
});
async function run() {
  mkdirSync(work, { recursive: true });
  mkdirSync(home, { recursive: true });
  writeFileSync(join(work, 'a-file-to-find.txt'), 'found');
  try {
    await main(server.address().port);
  } finally {
    server.closeAllConnections();
    server.close();
    rmSync(folder, { recursive: true, force: true });
  }
}
// A failed check is an uncaught error, which sets the exit code.
server.listen(0, '127.0.0.1', () => void run());
