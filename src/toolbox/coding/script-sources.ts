/**
 * The script runner. It connects to the tool server before the script starts and passes the open connection on. By
 * then the token has been used, and it was never in an environment variable, an argument or a file. The runner also
 * separates stdout and stderr, which the environment merges.
 */
export const RUNNER_SOURCE = String.raw`
import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { constants } from 'node:os';
import { delimiter, join } from 'node:path';
import { pathToFileURL } from 'node:url';

const { socket: place, token, mark, language, folder, errorLimit } = JSON.parse(readFileSync(0, 'utf8'));

const KEPT = /^(?:PATH|HOME|USER|LANG|LC_|TERM|TMP|TEMP|TZ|SHELL|LOGNAME|XDG_|PYTHONPATH|VIRTUAL_ENV|CONDA|HERMES_CALL)/;
const SECRET = /KEY|TOKEN|SECRET|PASSWORD|CREDENTIAL|PASSWD|AUTH|DSN|WEBHOOK|CREDS|BEARER/i;
const env = {};
for (const [name, value] of Object.entries(process.env)) if (KEPT.test(name) && !SECRET.test(name)) env[name] = value;

const head = [];
const tail = [];
let [headSize, tailSize, dropped] = [0, 0, 0];
function keep(bytes) {
  const room = Math.max(0, Math.floor(errorLimit * 0.4) - headSize);
  if (room > 0) head.push(bytes.subarray(0, room));
  headSize += Math.min(room, bytes.length);
  const rest = bytes.subarray(room);
  if (rest.length > 0) tail.push(rest);
  tailSize += rest.length;
  while (tail.length > 1 && tailSize - tail[0].length >= errorLimit * 0.6) {
    tailSize -= tail[0].length;
    dropped += tail.shift().length;
  }
}
function errors() {
  const end = Buffer.concat(tail);
  const cut = Math.max(0, end.length - Math.floor(errorLimit * 0.6));
  const gap = dropped + cut > 0 ? '\n[… ' + (dropped + cut) + ' bytes omitted …]\n' : '';
  return Buffer.concat(head).toString() + gap + end.subarray(cut).toString();
}

let left = false;
function leave(code, signal, problem) {
  if (left) return;
  left = true;
  // Base64 has a predictable length: only a limited part of the end of the output is kept.
  const report = JSON.stringify({ code, signal, problem, errors: Buffer.from(errors()).toString('base64') });
  const status = code ?? 128 + (constants.signals[signal] ?? 0);
  process.stdout.write('\n' + mark + report + '\n', () => process.exit(status));
}

function findPython() {
  const folders = (env.PATH ?? '').split(delimiter).filter((each) => each !== '');
  const own = env.VIRTUAL_ENV ? [join(env.VIRTUAL_ENV, 'bin', 'python')] : [];
  return [...own, ...['python3', 'python'].flatMap((name) => folders.map((each) => join(each, name)))].find(existsSync);
}

function planOf() {
  if (language === 'python') {
    const python = findPython();
    env.PYTHONPATH = [process.cwd(), env.PYTHONPATH].filter(Boolean).join(delimiter);
    return python && { file: python, args: ['-u', '-B', join(folder, 'script.py')], input: undefined };
  }
  const [major, minor] = process.versions.node.split('.').map(Number);
  const types = major > 22 || (major === 22 && minor >= 18);
  const flags = ['--disable-warning=ExperimentalWarning', '--input-type=' + (types ? 'module-typescript' : 'module')];
  const args = [...flags, '--import', pathToFileURL(join(folder, 'tools.mjs')).href, '-'];
  return { file: process.execPath, args, input: readFileSync(join(folder, 'script.ts')) };
}

function start(connection) {
  const plan = planOf();
  if (plan === undefined) return leave(127, null, 'Python is not installed here.');
  const child = spawn(plan.file, plan.args, { env, stdio: ['pipe', 'inherit', 'pipe', connection] });
  connection.destroy();
  child.stdin.on('error', () => undefined);
  child.stdin.end(plan.input);
  child.stderr.on('data', keep);
  child.once('error', (error) => leave(126, null, error.message));
  // Processes that the script left running may keep its streams open.
  child.once('exit', (code, signal) => {
    const end = setTimeout(() => leave(code, signal), 100);
    child.once('close', () => {
      clearTimeout(end);
      leave(code, signal);
    });
  });
  process.on('SIGTERM', () => leave(null, 'SIGTERM'));
}

const connection = connect(place);
connection.pause();
connection.once('error', (error) => leave(125, null, 'Could not connect to the tools: ' + error.message));
connection.once('connect', () => connection.write(token + '\n', () => start(connection)));
`;

/**
 * The global `tools` of a JavaScript script: each property is a function that calls a tool over the inherited
 * connection.
 */
export const JAVASCRIPT_CLIENT = String.raw`
import { createRequire } from 'node:module';
import { Socket } from 'node:net';
import { join } from 'node:path';

const connection = new Socket({ fd: 3, readable: true, writable: true });
const open = new Map();
let [count, rest] = [0, ''];

// An idle connection must not keep the script running.
connection.unref();
connection.setEncoding('utf8');
connection.on('data', (text) => {
  const lines = (rest + text).split('\n');
  rest = lines.pop();
  for (const line of lines) settle(JSON.parse(line));
});
function lose() {
  for (const { reject } of open.values()) reject(new Error('The connection to the tools was closed.'));
  open.clear();
}
connection.on('error', lose);
connection.on('close', lose);

function settle({ id, ok, text }) {
  const call = open.get(id);
  open.delete(id);
  if (open.size === 0) connection.unref();
  if (ok) call?.resolve(text);
  else call?.reject(new Error(text));
}

function call(name, args = {}) {
  return new Promise((resolve, reject) => {
    const id = ++count;
    open.set(id, { resolve, reject });
    connection.ref();
    connection.write(JSON.stringify({ id, tool: name, args }) + '\n');
  });
}

globalThis.tools = new Proxy(Object.freeze({}), {
  get: (_, name) => (typeof name === 'string' && name !== 'then' ? (args) => call(name, args) : undefined),
});
// Resolve modules from the working directory of the script.
globalThis.require = createRequire(join(process.cwd(), 'script.js'));
`;

/**
 * The module `hermes_tools` of a Python script. A result is a string that also has the fields that scripts for the
 * original Hermes expect.
 */
export const PYTHON_CLIENT = String.raw`
import json as _json
import re as _re
import shlex as _shlex
import socket as _socket
import threading as _threading
import time as _time

_lock = _threading.Lock()
_connection = None
_answers = None
_count = 0


class ToolError(RuntimeError):
    pass


class Result(str):
    def _fields(self):
        text = str(self)
        try:
            parsed = _json.loads(text)
        except ValueError:
            parsed = None
        code = _re.search(r"\[exit code (\d+)", text)
        fields = {"output": text, "content": text, "exit_code": int(code.group(1)) if code else 0}
        if isinstance(parsed, dict):
            fields.update(parsed)
        return fields

    def __getitem__(self, key):
        return self._fields()[key] if isinstance(key, str) else str.__getitem__(self, key)

    def get(self, key, default=None):
        return self._fields().get(key, default)


def _call(tool, args):
    global _connection, _answers, _count
    with _lock:
        if _connection is None:
            _connection = _socket.socket(fileno=3)
            _connection.setblocking(True)
            _answers = _connection.makefile("r", encoding="utf-8", newline="\n")
        _count += 1
        line = _json.dumps({"id": _count, "tool": tool, "args": args}) + "\n"
        _connection.sendall(line.encode("utf-8"))
        answer = _answers.readline()
    if answer == "":
        raise ToolError("The connection to the tools was closed.")
    answer = _json.loads(answer)
    if not answer["ok"]:
        raise ToolError(answer["text"])
    return Result(answer["text"])


def _tool(name, *order):
    def tool(*values, **args):
        if len(values) == 1 and isinstance(values[0], dict) and not args:
            return _call(name, values[0])
        args.update(zip(order, values))
        return _call(name, {key: value for key, value in args.items() if value is not None})

    tool.__name__ = name
    return tool


read_file = _tool("read_file", "path", "offset", "limit")
write_file = _tool("write_file", "path", "content")
patch = _tool("patch", "path", "old_string", "new_string", "replace_all")
search_files = _tool("search_files", "pattern", "target", "path", "file_glob", "limit", "offset")
terminal = _tool("terminal", "command", "timeout", "workdir")
web_search = _tool("web_search", "query", "limit")
web_extract = _tool("web_extract", "urls")


def json_parse(text):
    return _json.loads(text, strict=False)


def shell_quote(text):
    return _shlex.quote(text)


def retry(work, max_attempts=3, delay=2):
    for attempt in range(1, max_attempts + 1):
        try:
            return work()
        except Exception:
            if attempt == max_attempts:
                raise
            _time.sleep(delay * attempt)
`;
