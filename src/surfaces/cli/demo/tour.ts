import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Settings } from '../../../config/index.ts';
import { openConversation } from '../../../conversations/index.ts';
import { createRuntime } from '../../../runtime/index.ts';
import type { CliRun } from '../cli-run.ts';
import { STOP_TIMEOUT_MS } from '../exit-path.ts';
import { createTextView } from '../output/text-view.ts';
import { createStyle } from '../style.ts';
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
  io.stdout.write(
    `\nTo connect a real model, run ${style.bold('hermes setup')}. In a terminal, ${style.bold('hermes')} opens a chat.\n`,
  );
  return 0;
}

function prompts(workingDirectory: string): string[] {
  const readable = existsSync(join(workingDirectory, 'README.md')) ? ['what is in README.md'] : [];
  return ['list the files here', ...readable];
}
