/** What a script in JavaScript has as `tools`: each property is a function that asks over the connection it was handed. */
export const JAVASCRIPT_CLIENT = String.raw`
import { createRequire } from 'node:module';
import { Socket } from 'node:net';
import { join } from 'node:path';

const connection = new Socket({ fd: 3, readable: true, writable: true });
const open = new Map();
let [count, rest] = [0, ''];

// The script ends when it has nothing left to do, and an open connection is nothing to do.
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
// Modules are those of the folder that the script works in, whichever way they are asked for.
globalThis.require = createRequire(join(process.cwd(), 'script.js'));
`;

/**
 * The module `hermes_tools` of a script in Python. A result is a text that also answers to the fields that scripts for the
 * original expect.
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
