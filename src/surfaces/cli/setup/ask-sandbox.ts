import * as prompts from '@clack/prompts';
import { type Settings, updateConfig } from '../../../config/index.ts';
import { findSandboxProblem } from '../../../environments/index.ts';
import type { CliIo } from '../cli-io.ts';

type Choice = 'offline' | 'online' | 'local';

/**
 * Proposes the sandbox if it works here and no other environment is configured. Leaving the question changes nothing.
 */
export async function askForSandbox(settings: Settings, io: CliIo): Promise<void> {
  const { backend, sandboxNetwork } = settings.terminal;
  if (backend !== 'local' && backend !== 'sandbox') return;
  if ((await findSandboxProblem(io.env['PATH'])) !== undefined) return;
  const options: { value: Choice; label: string; hint: string }[] = [
    {
      value: 'offline',
      label: 'In a sandbox without network (recommended)',
      hint: 'they change only the project, credentials are hidden, no approval needed',
    },
    {
      value: 'online',
      label: 'In a sandbox with network',
      hint: 'sending data and running downloaded code need approval',
    },
    { value: 'local', label: 'Directly on this machine', hint: 'dangerous commands need approval' },
  ];
  const initialValue: Choice = backend === 'sandbox' && sandboxNetwork ? 'online' : 'offline';
  const answer = await prompts.select({ message: 'Where should commands run?', options, initialValue });
  if (prompts.isCancel(answer)) return;
  await save(settings, answer);
}

async function save({ home, terminal }: Settings, choice: Choice): Promise<void> {
  if (choice === 'local') {
    if (terminal.backend !== 'local') await updateConfig(home, [{ path: ['terminal', 'backend'], value: 'local' }]);
    return;
  }
  await updateConfig(home, [
    { path: ['terminal', 'backend'], value: 'sandbox' },
    { path: ['terminal', 'sandbox_network'], value: choice === 'online' },
  ]);
}
