import * as prompts from '@clack/prompts';
import { findLocalServers } from '../../../providers/index.ts';
import type { CliIo } from '../cli-io.ts';
import { chooseInTerminal } from '../model/choose-in-terminal.ts';
import { printable } from '../style.ts';

type StartChoice = 'configured' | 'demo' | 'leave';

/** The first start in a terminal: run the setup, use a local server, or try the demo. */
export async function chooseFirstStart(io: CliIo, home: string, signal: AbortSignal): Promise<StartChoice> {
  const servers = await findLocalServers();
  const found = servers.map((server, index) => ({
    value: String(index),
    label: `Use ${server.provider.name} on this machine`,
    hint: printable(server.models[0] ?? ''),
  }));
  const answer = await prompts.select({
    message: 'No model is configured yet. How do you want to start?',
    options: [
      ...found,
      { value: 'setup', label: 'Connect a model', hint: 'provider, API key, model' },
      { value: 'demo', label: 'Try the demo', hint: 'scripted, offline, no setup' },
      { value: 'leave', label: 'Quit' },
    ],
  });
  if (prompts.isCancel(answer) || answer === 'leave') return 'leave';
  if (answer === 'demo') return 'demo';
  const server = answer === 'setup' ? undefined : servers[Number(answer)];
  const dialog = { title: 'Connect a model', probe: false, test: true, offersSandbox: true, server, signal };
  return (await chooseInTerminal(io, home, dialog)) === 'left' ? 'leave' : 'configured';
}
