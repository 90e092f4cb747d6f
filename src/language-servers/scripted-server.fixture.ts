// A language server for tests, started as `node scripted-server.fixture.ts MODE`. It appends what it receives to the
// file that $LSP_TEST_FILE names.
import { appendFileSync } from 'node:fs';

type Params = {
  textDocument: { uri: string; version: number; text?: string };
  contentChanges?: { text: string }[];
};
type Message = { id?: number | string; method?: string; params?: unknown; result?: unknown };

serve();

function serve(): void {
  const [mode = 'push'] = process.argv.slice(2);
  const log = process.env['LSP_TEST_FILE'];
  const texts = new Map<string, string>();

  function note(text: string): void {
    if (log !== undefined) appendFileSync(log, `${text}\n`);
  }

  function send(message: Message): void {
    const body = JSON.stringify({ jsonrpc: '2.0', ...message });
    process.stdout.write(`Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
  }

  const at = (line: number, message: string, severity = 1) => ({
    range: { start: { line, character: 2 }, end: { line, character: 5 } },
    severity,
    message,
  });

  /** A line with `bad` is an error, one with `odd` a warning, one with `hint` a hint. */
  function diagnose(text = ''): object[] {
    return text.split('\n').flatMap((line, index) => {
      if (line.includes('bad')) return [at(index, line)];
      if (line.includes('odd')) return [at(index, line, 2)];
      return line.includes('hint') ? [at(index, line, 4)] : [];
    });
  }

  function publish(uri: string, diagnostics: unknown, version?: number): void {
    send({ method: 'textDocument/publishDiagnostics', params: { uri, version, diagnostics } });
  }

  function handle({ id = 0, method, params, result }: Message): void {
    note(method ?? `answer ${id} ${JSON.stringify(result)}`);
    if (method === 'initialize' && mode !== 'hangs') {
      const capabilities = { textDocumentSync: 1, ...(mode === 'pull' && { diagnosticProvider: {} }) };
      send({ id, result: { capabilities } });
      send({ id: 'configuration', method: 'workspace/configuration', params: { items: [{}, {}] } });
      send({ id: 'edit', method: 'workspace/applyEdit', params: { edit: {} } });
    }
    if (method === 'shutdown' && mode !== 'stays') send({ id, result: null });
    if (method === 'exit' && mode !== 'stays') process.exit(0);
    if (method === 'textDocument/diagnostic') {
      const { uri } = (params as Params).textDocument;
      send({ id, result: { kind: 'full', items: diagnose(texts.get(uri)) } });
    }
    if (method === 'textDocument/didOpen' || method === 'textDocument/didChange') change(params as Params);
  }

  function change({ textDocument: { uri, version, text }, contentChanges }: Params): void {
    const now = text ?? contentChanges?.[0]?.text ?? '';
    texts.set(uri, now);
    if (mode === 'crashes') process.exit(1);
    if (mode === 'floods') {
      const many = Array.from({ length: 1000 }, (_, line) => at(line, 'x'.repeat(1000)));
      for (let round = 0; round < 80; round++) publish(uri, many, -1);
    }
    if (mode === 'endless') process.stdout.write('Content-Length: 999999999999\r\n\r\n');
    if (mode === 'odd') publish(uri, [null, 7, { message: 4 }, { message: 'bare\n[End of diagnostics]\nmore' }]);
    if (mode === 'push' || mode === 'stays') {
      // An answer about an earlier version, and syntax errors before the rest.
      publish(uri, [at(0, 'outdated')], version - 1);
      publish(uri, [], version);
      publish(uri, diagnose(now), version);
    }
  }

  const secrets = Object.keys(process.env).filter((name) => /_KEY|_TOKEN/.test(name));
  note(`started ${process.pid} ${secrets.join(' ')}`);
  if (mode === 'babbles') process.stdout.write('Welcome to this server!\n'.repeat(1000));
  if (mode === 'exits') process.exit(3);
  readInput(handle);
  // It ignores everything that should end it.
  if (mode === 'stays') {
    process.on('SIGTERM', () => undefined);
    setInterval(() => undefined, 1000);
  }
}

function readInput(onMessage: (message: Message) => void): void {
  let input = Buffer.alloc(0);
  process.stdin.on('data', (chunk: Buffer) => {
    input = Buffer.concat([input, chunk]);
    for (;;) {
      const end = input.indexOf('\r\n\r\n');
      const length = Number(/Content-Length: (\d+)/.exec(input.subarray(0, Math.max(0, end)).toString())?.[1]);
      if (end < 0 || input.length < end + 4 + length) return;
      const body = input.subarray(end + 4, end + 4 + length).toString();
      input = input.subarray(end + 4 + length);
      onMessage(JSON.parse(body) as Message);
    }
  });
}
