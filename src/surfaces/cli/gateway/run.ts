import { runGateway } from '../../gateway/index.ts';
import type { CliIo } from '../cli-io.ts';
import type { CliRun } from '../cli-run.ts';
import { noticesFor } from '../original/start-notices.ts';
import { runUntilStopped } from '../serve/run-until-stopped.ts';
import type { ServedApi } from '../serve/serve.ts';
import { printable } from '../style.ts';
import { VERSION } from '../version.ts';

/** `hermes gateway run`. The first signal lets running turns end. */
export async function runGatewayCommand(run: CliRun): Promise<number> {
  const signal = runUntilStopped(run);
  const { io } = run;
  let shown = '';
  for (const notice of await noticesFor(io.env)) io.stderr.write(`${printable(`Warning: ${notice}`)}\n`);
  await runGateway({
    env: io.env,
    workingDirectory: io.workingDirectory,
    version: VERSION,
    signal,
    onNotice: (notice) => void io.stderr.write(`${printable(notice)}\n`),
    onStatus({ platform, account, state, error }) {
      const line = `${account ?? platform}: ${state}${error === undefined ? '' : ` (${error})`}`;
      if (line !== shown) io.stderr.write(`${printable(line)}\n`);
      shown = line;
    },
    startServer: ({ runtime, settings, messaging }) =>
      settings.apiServer.isEnabled
        ? startApi({ runtime, settings: settings.apiServer, messaging }, io)
        : Promise.resolve(undefined),
    onProblem: (problem) => void io.stderr.write(`${printable(`Warning: ${problem}`)}\n`),
  });
  return 0;
}

async function startApi(parts: ServedApi, io: CliIo) {
  const { startServer } = await import('../serve/serve.ts');
  return startServer(parts, io);
}
