import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Settings } from '../../../config/index.ts';
import { openConversation } from '../../../conversations/index.ts';
import { createRuntime } from '../../../runtime/index.ts';
import type { CliRun } from '../cli-run.ts';
import { STOP_TIMEOUT_MS } from '../exit-path.ts';
import { createTextView } from '../output/text-view.ts';
import { createStyle, type Style } from '../style.ts';
import { createDemoRoute } from './demo-route.ts';

/** Shows the tour when Hermes first runs without a terminal: real read-only tool calls, and how to connect a model. */
export async function showTour({ io, exits }: CliRun, settings: Settings): Promise<number> {
  const style = createStyle(io.stdout, io.env);
  io.stdout.write(
    `${style.bold('Hermes')}: no model is configured yet, so this is a short tour with a scripted demo.\n`,
  );
  const runtime = await createRuntime({
    settings,
    routes: [createDemoRoute({ slowly: false })],
    workingDirectory: io.workingDirectory,
    source: 'cli',
    attended: false,
  });
  const stop = new AbortController();
  try {
    exits.setHandler(({ reason }) => stop.abort(new Error(reason)), STOP_TIMEOUT_MS);
    const conversation = await openConversation({ services: runtime, blueprint: runtime.blueprint });
    for (const prompt of prompts(io.workingDirectory)) {
      if (stop.signal.aborted) break;
      io.stdout.write(`\n${style.cyan('❯')} ${prompt}\n`);
      const view = createTextView({ text: io.stdout, notes: io.stdout, style, progress: true, live: false });
      const turn = conversation.queue({ text: prompt, signal: stop.signal });
      for await (const event of turn) view.show(event);
      view.finish(await turn.result);
    }
  } finally {
    await runtime.close();
  }
  io.stdout.write(`\n${nextSteps(style)}`);
  return 0;
}

/** The commands that connect a model, with what each is for. */
function nextSteps(style: Style): string {
  const commands = [
    ['hermes setup', 'connect a model, step by step'],
    [
      'hermes setup --provider openrouter --model MODEL',
      'the same without questions, with the key in OPENROUTER_API_KEY',
    ],
    ['hermes auth add PROVIDER --login', 'log in with a subscription'],
    ['hermes', 'open a chat'],
    ['hermes init', 'write AGENTS.md for the project in this directory'],
  ] as const;
  const width = Math.max(...commands.map(([command]) => command.length));
  const lines = commands.map(
    ([command, about]) => `  ${style.bold(command)}${' '.repeat(width - command.length)}  ${about}\n`,
  );
  return `This was a demo. With a real model:\n\n${lines.join('')}`;
}

function prompts(workingDirectory: string): string[] {
  const readable = existsSync(join(workingDirectory, 'README.md')) ? ['what is in README.md'] : [];
  return ['list the files here', ...readable];
}
