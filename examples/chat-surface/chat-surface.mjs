// A chat over two streams, one line per message: `node chat-surface.mjs [SESSION]`. A line sent during a turn steers
// it, `/stop` interrupts it, and `yes` or `no` answers a question.
import { createInterface } from 'node:readline';
import { loadModels, openConversation, openServices, OWNER, resolveHome } from 'hermes-agent-ts';

export async function runChat({ input, output, log, resume, env = process.env, workingDirectory = process.cwd() }) {
  const { settings, models } = await loadModels({ home: resolveHome(env), env });
  const services = await openServices({ settings, workingDirectory, auxiliaryRoutes: models.auxiliaryRoutes });
  const conversation = await openConversation({
    services,
    session: { resume },
    busy: 'steer',
    // Two readers for every turn: one for the user and one for the log.
    onTurn: (turn) => void Promise.all([show(turn), record(turn)]).catch((error) => log.write(`${error}\n`)),
    blueprint: {
      settings,
      routes: models.routes,
      source: 'example',
      surface: 'example',
      actor: OWNER,
      workingDirectory,
      attended: true,
    },
  });
  let question;

  async function show(turn) {
    for await (const event of turn) {
      if (event.type === 'text-delta') output.write(event.text);
      if (event.type === 'request') output.write(`\n? ${event.request.subject ?? event.request.question} (yes/no)\n`);
      if (event.type === 'request') question = event;
      if (event.type === 'request-closed') question = undefined;
      if (event.type === 'finished') output.write(`\n[${event.result.exitReason}]\n`);
    }
  }

  async function record(turn) {
    for await (const { type } of turn) log.write(`${type}\n`);
  }

  function answer(line) {
    const { requestId, request } = question;
    if (request.kind === 'clarify') return conversation.answer(requestId, { kind: 'clarify', text: line }, OWNER);
    return conversation.answer(requestId, { kind: 'approval', answer: line === 'yes' ? 'once' : 'deny' }, OWNER);
  }

  for await (const line of createInterface({ input })) {
    if (question !== undefined) await answer(line);
    else if (line === '/stop') conversation.interrupt();
    else output.write(`[${conversation.send({ text: line }, OWNER).outcome}]\n`);
  }
  await conversation.currentTurn()?.result;
  await conversation.endSession('user_exit');
  await services.close();
  return conversation.sessionId;
}

const { argv, stdin, stdout, stderr } = process;
if (argv[1] === import.meta.filename) await runChat({ input: stdin, output: stdout, log: stderr, resume: argv[2] });
