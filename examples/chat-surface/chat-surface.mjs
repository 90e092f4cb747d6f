// A chat over two streams, one line per message: `node chat-surface.mjs [SESSION]`. A line sent during a turn steers
// it, `/stop` interrupts it, and `yes` or `no` answers a question.
import { homedir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { createHermes } from 'hermes-agent-ts';

export async function runChat({ input, output, log, resume, env = process.env, workingDirectory = process.cwd() }) {
  const home = env.HERMES_HOME ?? join(homedir(), '.hermes');
  const hermes = await createHermes({ home, env, workingDirectory, source: 'example', attended: true });
  const session = await hermes.openSession({ resume });
  let turn;
  let question;

  async function show(events) {
    for await (const event of events) {
      if (event.type === 'text-delta') output.write(event.text);
      if (event.type === 'request') output.write(`\n? ${event.request.subject ?? event.request.question} (yes/no)\n`);
      if (event.type === 'request') question = event;
      if (event.type === 'request-closed') question = undefined;
      if (event.type === 'finished') output.write(`\n[${event.result.exitReason}]\n`);
    }
    turn = undefined;
  }

  async function record(events) {
    for await (const { type } of events) log.write(`${type}\n`);
  }

  function answer(line) {
    const { requestId, request } = question;
    if (request.kind === 'clarify') return session.answer(requestId, { kind: 'clarify', text: line });
    return session.answer(requestId, { kind: 'approval', answer: line === 'yes' ? 'once' : 'deny' });
  }

  function send(line) {
    if (turn?.steer(line)) return 'steered';
    turn = session.send(line);
    // Two readers for every turn: one for the user and one for the log.
    void Promise.all([show(turn), record(turn)]).catch((error) => log.write(`${error}\n`));
    return 'started';
  }

  for await (const line of createInterface({ input })) {
    if (question !== undefined) await answer(line);
    else if (line === '/stop') turn?.interrupt();
    else output.write(`[${send(line)}]\n`);
  }
  await turn?.result;
  await hermes.close();
  return session.id;
}

const { argv, stdin, stdout, stderr } = process;
if (argv[1] === import.meta.filename) await runChat({ input: stdin, output: stdout, log: stderr, resume: argv[2] });
