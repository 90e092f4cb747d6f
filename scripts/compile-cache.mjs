// The compile cache of a home directory is written after its first turn (see `load-code.mjs`). To make the first
// start fast too, the build runs one turn with a scripted model and saves the result next to the program.
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import * as module from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const TIMEOUT_MS = 60_000;
const { enableCompileCache } = module;

/** Writes `compile-cache/<Node version and platform>/<group>` into a folder with the built program. */
export async function writeCompileCache(folder) {
  // This Node version is too old for the compile cache. The program itself requires a newer one than the build.
  if (enableCompileCache === undefined) return;
  const home = mkdtempSync(join(tmpdir(), 'hermes-build-'));
  const server = createServer((request, response) => void answer(request, response));
  try {
    await new Promise((resolve, reject) => server.once('error', reject).listen(0, '127.0.0.1', resolve));
    await takeTurn(folder, home, server.address().port);
    copyCaches(join(home, 'compile'), folder);
  } catch (thrown) {
    // The cache only saves time at the first start, so the build is complete without it.
    console.warn(`Built without a compile cache: ${thrown.message}`);
  } finally {
    server.close();
    server.closeAllConnections();
    rmSync(home, { recursive: true, force: true });
  }
}

async function takeTurn(folder, home, port) {
  const model = { provider: 'custom', default: 'build', base_url: `http://127.0.0.1:${port}/v1`, api_key: 'build' };
  const settings = { ...model, api_mode: 'chat_completions', context_length: 100_000 };
  const lines = Object.entries(settings).map(([key, value]) => `  ${key}: ${value}`);
  writeFileSync(join(home, 'config.yaml'), ['model:', ...lines, ''].join('\n'));
  const program = `
    process.getBuiltinModule('node:module').enableCompileCache(${JSON.stringify(join(home, 'compile'))});
    const { main } = await import(${JSON.stringify(pathToFileURL(join(folder, 'cli.js')).href)});
    process.exit(await main(['--yolo', '-z', 'go']));`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', program], {
    cwd: home,
    // A cache created with Node flags from the environment could only be used with the same flags.
    env: { PATH: process.env.PATH, HOME: home, HERMES_HOME: home },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: TIMEOUT_MS,
  });
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (data) => (stdout += data));
  child.stderr.on('data', (data) => (stderr += data));
  const code = await new Promise((resolve, reject) => child.once('error', reject).once('close', resolve));
  if (code !== 0 || stdout !== 'done\n') throw new Error(`a turn exited with code ${code}: ${stderr || stdout}`);
}

/** The first command needs no approval rules, the second does. */
const COMMANDS = ['echo done', 'echo one && echo two'];

/** Calls some commands, so that the code for judging and running them is compiled too, and then answers. */
async function answer(request, response) {
  let body = '';
  for await (const part of request) body += part;
  if (request.method !== 'POST') return void response.writeHead(404).end();
  const results = JSON.parse(body).messages.filter(({ role }) => role === 'tool').length;
  const isDone = results === COMMANDS.length;
  const call = { name: 'terminal', arguments: JSON.stringify({ command: COMMANDS[results] }) };
  const delta = isDone
    ? { content: 'done' }
    : { tool_calls: [{ index: 0, id: `call_${results}`, type: 'function', function: call }] };
  const events = [
    { choices: [{ index: 0, delta: { role: 'assistant', ...delta }, finish_reason: null }] },
    { choices: [{ index: 0, delta: {}, finish_reason: isDone ? 'stop' : 'tool_calls' }] },
    { choices: [], usage: { prompt_tokens: 10, completion_tokens: 1, total_tokens: 11 } },
  ];
  const common = { id: 'build', object: 'chat.completion.chunk', created: 0, model: 'build' };
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const event of events) response.write(`data: ${JSON.stringify({ ...common, ...event })}\n\n`);
  response.end('data: [DONE]\n\n');
}

function copyCaches(compiled, folder) {
  const target = join(folder, 'compile-cache', `${process.version}-${process.platform}-${process.arch}`);
  const [version = ''] = readdirSync(compiled);
  const caches = readdirSync(join(compiled, version)).map((name) => [name, /^hermes-(\w+)-\w+$/.exec(name)?.[1]]);
  const ours = caches.filter(([, group]) => group !== undefined);
  if (ours.length === 0) throw new Error('the turn saved no compile cache');
  mkdirSync(target, { recursive: true });
  // Written again and not copied: in a home these files are private, but here every user of the program reads them.
  for (const [name, group] of ours) writeFileSync(join(target, group), readFileSync(join(compiled, version, name)));
}
