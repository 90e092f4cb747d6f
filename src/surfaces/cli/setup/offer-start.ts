import * as prompts from '@clack/prompts';
import { findLocalServers, type LocalServer } from '../../../providers/index.ts';
import type { CliIo } from '../cli-io.ts';
import { saveChoice } from './save-choice.ts';

export type StartChoice = 'configured' | 'demo' | 'leave';

/** A first start in a terminal: set up, take a server that is running here, or look at the demo. */
export async function offerStart(io: CliIo, home: string): Promise<StartChoice> {
  const servers = await findLocalServers();
  const found = servers.map((server, index) => ({
    value: String(index),
    label: `Use ${server.provider.name} on this machine`,
    hint: server.models[0],
  }));
  const answer = await prompts.select({
    message: 'No model is configured yet. How do you want to start?',
    options: [
      ...found,
      { value: 'setup', label: 'Connect a model', hint: 'provider, key, model' },
      { value: 'demo', label: 'Try the demo', hint: 'scripted, offline, needs nothing' },
      { value: 'leave', label: 'Leave' },
    ],
  });
  if (prompts.isCancel(answer) || answer === 'leave') return 'leave';
  if (answer === 'demo') return 'demo';
  if (answer === 'setup') {
    const { askForSetup } = await import('./ask-for-setup.ts');
    return (await askForSetup(io, home)) ? 'configured' : 'leave';
  }
  return (await useServer(home, servers[Number(answer)] as LocalServer)) ? 'configured' : 'leave';
}

async function useServer(home: string, { provider, models }: LocalServer): Promise<boolean> {
  const options = models.map((name) => ({ value: name, label: name }));
  const model = models.length === 1 ? models[0] : await prompts.select({ message: 'Which model?', options });
  if (typeof model !== 'string') return false;
  await saveChoice(home, { provider, model, baseUrl: provider.baseUrl });
  return true;
}
