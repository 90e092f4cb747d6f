import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Settings } from '../../../config/index.ts';
import { createRuntime } from '../../../runtime/index.ts';
import type { CliIo } from '../cli-io.ts';
import { createTextView } from '../output/text-view.ts';
import { watchSignals } from '../signals.ts';
import { createStyle } from '../style.ts';
import { createDemoRoute } from './demo-route.ts';

/** What a first start without a terminal shows: real tools, only reading, and how to go on. */
export async function showTour(io: CliIo, settings: Settings): Promise<number> {
  const style = createStyle(io.stdout, io.env);
  io.stdout.write(`${style.bold('Hermes')}: no model is configured yet, so this is a short tour on a scripted demo.\n`);
  const runtime = await createRuntime({
    settings,
    routes: [createDemoRoute({ slowly: false })],
    workingDirectory: io.workingDirectory,
    source: 'cli',
    attended: false,
  });
  const signals = watchSignals();
  try {
    const { agent } = await runtime.openAgent();
    for (const prompt of prompts(io.workingDirectory)) {
      if (signals.signal.aborted) break;
      io.stdout.write(`\n${style.cyan('❯')} ${prompt}\n`);
      const view = createTextView({ text: io.stdout, notes: io.stdout, style, live: false });
      const run = agent.run({ userMessage: prompt, signal: signals.signal });
      for await (const event of run) view.show(event);
      view.finish(await run.result);
    }
  } finally {
    signals.stop();
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
