// A minimal agent: calls a model, runs its commands and returns their output, until there are no more commands. It
// stores, checks and recovers nothing; it is the lower bound for the cost of an agent.
import { execFile } from 'node:child_process';

const TERMINAL = {
  type: 'function',
  function: {
    name: 'terminal',
    description: 'Runs a command in a shell and returns its output.',
    parameters: { type: 'object', properties: { command: { type: 'string' } }, required: ['command'] },
  },
};

/** Yields the JSON payloads of a server-sent event stream. */
async function* payloads(body) {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const bytes of body) {
    rest += decoder.decode(bytes, { stream: true });
    for (let end = rest.indexOf('\n\n'); end >= 0; end = rest.indexOf('\n\n')) {
      const data = rest.slice(0, end).replace(/^data: /, '');
      rest = rest.slice(end + 2);
      if (data !== '[DONE]') yield JSON.parse(data);
    }
  }
}

async function ask(messages) {
  const response = await fetch(`${process.env.BARE_BASE_URL}/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: 'Bearer bench' },
    body: JSON.stringify({ model: process.env.BARE_MODEL, messages, tools: [TERMINAL], stream: true }),
  });
  if (!response.ok) throw new Error(`the model responded with status ${response.status}`);
  let content = '';
  const calls = [];
  for await (const { choices } of payloads(response.body)) {
    const delta = choices[0]?.delta ?? {};
    content += delta.content ?? '';
    for (const { index, id, function: part } of delta.tool_calls ?? []) {
      calls[index] ??= { id, type: 'function', function: { name: part.name, arguments: '' } };
      calls[index].function.arguments += part.arguments ?? '';
    }
  }
  return { role: 'assistant', content, ...(calls.length > 0 && { tool_calls: calls }) };
}

function runCommand(command) {
  return new Promise((resolve) => {
    execFile('/bin/bash', ['-c', command], (error, stdout, stderr) =>
      resolve(stdout + stderr + (error?.message ?? '')),
    );
  });
}

async function main(prompt) {
  const messages = [
    { role: 'system', content: 'You help with the terminal.' },
    { role: 'user', content: prompt },
  ];
  for (;;) {
    const answer = await ask(messages);
    messages.push(answer);
    if (!answer.tool_calls) return answer.content;
    for (const call of answer.tool_calls) {
      const { command } = JSON.parse(call.function.arguments);
      messages.push({ role: 'tool', tool_call_id: call.id, content: await runCommand(command) });
    }
  }
}

const [argument = ''] = process.argv.slice(2);
console.log(argument === '--version' ? 'bare-agent 1' : await main(argument));
