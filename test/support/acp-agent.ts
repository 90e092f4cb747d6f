// A scripted ACP agent as a separate program: node acp-agent.ts SCRIPT LOG [words …]. It uses the official package,
// so that our client is tested against an independent implementation.
import { appendFileSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { Readable, Writable } from 'node:stream';
import { agent, type AgentContext, methods, ndJsonStream, RequestError } from '@agentclientprotocol/sdk';
import type { AgentPlan, AgentReply } from './acp-fixture.ts';

const [scriptFile = '', logFile = ''] = process.argv.slice(2);
const plan = JSON.parse(readFileSync(scriptFile, 'utf8')) as AgentPlan;
const cancelled = new Map<string, () => void>();

const log = (entry: object) => appendFileSync(logFile, `${JSON.stringify({ pid: process.pid, ...entry })}\n`);
const promptsSoFar = () =>
  existsSync(logFile)
    ? readFileSync(logFile, 'utf8')
        .split('\n')
        .filter((line) => line.includes('"type":"prompt"')).length
    : 0;

log({ type: 'start', folder: process.cwd(), files: readdirSync('.'), env: process.env, args: process.argv.slice(4) });
if (plan.greeting !== undefined) process.stdout.write(plan.greeting);
if (plan.complaint !== undefined) process.stderr.write(plan.complaint);
if (plan.exitCode !== undefined) process.exit(plan.exitCode);
if (plan.child !== undefined) await startChild();
process.stdin.on('end', () => log({ type: 'input closed' }));

let sessions = 0;
const { session } = methods.agent;
agent({ name: 'test agent' })
  .onRequest(methods.agent.initialize, async ({ params }) => {
    log({ type: 'initialize', params });
    if (plan.hangAtStart) await new Promise(() => undefined);
    const capabilities = plan.canDelete ? { sessionCapabilities: { delete: {} } } : {};
    return { protocolVersion: plan.version ?? 1, agentCapabilities: capabilities };
  })
  .onRequest(session.new, ({ params }) => {
    log({ type: 'new session', params });
    if (plan.sessionError) throw new RequestError(plan.sessionError.code, plan.sessionError.message);
    sessions += 1;
    return { sessionId: `session-${process.pid}-${sessions}`, ...plan.session };
  })
  .onRequest(session.setConfigOption, ({ params }) => {
    log({ type: 'option', params });
    return { configOptions: [] };
  })
  .onRequest(session.delete, ({ params }) => log({ type: 'delete', params }))
  .onRequest(session.prompt, async ({ params, client }) => {
    const reply = plan.replies[promptsSoFar()] ?? { text: ['nothing left to say'] };
    const text = params.prompt.map((block) => (block.type === 'text' ? block.text : '')).join('');
    log({ type: 'prompt', sessionId: params.sessionId, text });
    return play(reply, params.sessionId, text, client);
  })
  .onNotification(session.cancel, ({ params }) => {
    log({ type: 'cancel', params });
    cancelled.get(params.sessionId)?.();
  })
  .connect(ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin) as ReadableStream<Uint8Array>));

async function play(reply: AgentReply, sessionId: string, prompt: string, client: AgentContext) {
  const marker = /\[\[([0-9a-f]{10}) /.exec(prompt)?.[1] ?? '';
  const say = async (sessionUpdate: 'agent_message_chunk' | 'agent_thought_chunk', words: string) => {
    const characters = [...words.replaceAll('CODE', marker)];
    const size = reply.chunkSize ?? characters.length;
    for (let from = 0; from < characters.length; from += size) {
      const content = { type: 'text' as const, text: characters.slice(from, from + size).join('') };
      await client.notify(methods.client.session.update, { sessionId, update: { sessionUpdate, content } });
    }
  };
  for (const words of reply.thoughts ?? []) await say('agent_thought_chunk', words);
  if (reply.asks) await askForEverything(sessionId, client);
  if (reply.runs) await report(sessionId, client, reply.runs);
  for (const words of reply.text ?? []) await say('agent_message_chunk', words);
  if (reply.garbage !== undefined) process.stdout.write(reply.garbage);
  if (reply.crash !== undefined) process.exit(reply.crash);
  if (reply.error !== undefined) throw new RequestError(reply.error.code, reply.error.message, reply.error.data);
  if (reply.hang)
    await new Promise<void>((resolve) => reply.hang === 'until cancelled' && cancelled.set(sessionId, resolve));
  const stopReason = reply.hang ? 'cancelled' : (reply.stopReason ?? 'end_turn');
  return { stopReason } as { stopReason: 'end_turn' };
}

/** Sends every request that an agent may send to its client, and logs the results. */
async function askForEverything(sessionId: string, client: AgentContext): Promise<void> {
  const attempt = async (name: string, request: Promise<unknown>) => {
    const outcome = await request.catch((error: unknown) => ({ error: (error as RequestError).code }));
    log({ type: 'asked', name, outcome });
  };
  const options = [
    { optionId: 'yes', name: 'Yes', kind: 'allow_once' as const },
    { optionId: 'always', name: 'Always', kind: 'allow_always' as const },
    { optionId: 'never', name: 'Never', kind: 'reject_always' as const },
    { optionId: 'no', name: 'No', kind: 'reject_once' as const },
  ];
  const { requestPermission } = methods.client.session;
  const toolCall = { toolCallId: 'own-1', title: 'rm -rf', kind: 'execute' as const };
  await client.notify(methods.client.session.update, {
    sessionId,
    update: { sessionUpdate: 'tool_call', ...toolCall },
  });
  await attempt('permission', client.request(requestPermission, { sessionId, toolCall, options }));
  // Reports "completed" for a tool that was denied and did not run.
  await report(sessionId, client, 'execute');
  const [yes, always] = options;
  const withoutNo = [yes, always].filter((option) => option !== undefined);
  await attempt('no way out', client.request(requestPermission, { sessionId, toolCall, options: withoutNo }));
  await attempt('read', client.request(methods.client.fs.readTextFile, { sessionId, path: '/etc/passwd' }));
  await attempt('write', client.request(methods.client.fs.writeTextFile, { sessionId, path: '/tmp/x', content: 'x' }));
  await attempt('terminal', client.request(methods.client.terminal.create, { sessionId, command: 'id' }));
}

function report(sessionId: string, client: AgentContext, kind: 'execute' | 'read'): Promise<void> {
  const update = { toolCallId: 'own-1', title: 'rm -rf', kind, status: 'completed' as const };
  return client.notify(methods.client.session.update, { sessionId, update: { sessionUpdate: 'tool_call', ...update } });
}

/** A child process that only a kill ends. */
async function startChild(): Promise<void> {
  const { spawn } = await import('node:child_process');
  const child = spawn(process.execPath, ['-e', 'process.on("SIGTERM", () => {}); setInterval(() => {}, 1000)']);
  writeFileSync(plan.child ?? '', String(child.pid));
}
