import { HermesError } from '../../../base/index.ts';
import type { Environment } from '../../../contracts/index.ts';
import { printable } from '../../text/style.ts';
import type { SlashContext } from '../slash-context.ts';

const USAGE = 'Usage: /sandbox [on | off]. Without an argument it shows the state.\n';

/** `/sandbox` shows whether commands run in the sandbox; `/sandbox on` and `off` switch it for this session. */
export async function sandboxCommand(context: SlashContext, argument: string): Promise<void> {
  const { session, style, print } = context;
  const { choices, environment } = session.opened();
  const wanted = argument.toLowerCase();
  const isOn = environment.sandbox !== undefined;
  if (wanted === '') return print(`${describe(environment)}\n`);
  if (wanted !== 'on' && wanted !== 'off') return print(USAGE);
  if (isOn === (wanted === 'on')) return print(`The sandbox is already ${wanted}.\n`);
  if (!isOn && environment.name !== 'local')
    return print(`Commands run in the environment ${environment.name}, which cannot be combined with the sandbox.\n`);
  const before = choices.sandbox;
  choices.sandbox = wanted === 'on';
  try {
    await session.reopen();
  } catch (thrown) {
    choices.sandbox = before;
    if (!(thrown instanceof HermesError)) throw thrown;
    return print(style.yellow(`${printable([thrown.message, thrown.hint].filter(Boolean).join(' '))}\n`));
  }
  const { agent, environment: current } = session.opened();
  agent.renewPrompt();
  print(`${describe(current)} The tools changed, so the next request misses the prompt cache.\n`);
}

function describe(environment: Environment): string {
  if (environment.sandbox === undefined)
    return 'The sandbox is off: commands run as you, and dangerous ones need approval.';
  const exception = environment.sandbox.network
    ? ' Those that could send data or run downloaded code still need approval.'
    : '';
  return `The sandbox is on: ${describeSandbox(environment)}, and need no approval as long as they stay inside.${exception}`;
}

/** What commands can do in the sandbox; undefined outside it. */
export function describeSandbox({ sandbox }: Pick<Environment, 'sandbox'>): string | undefined {
  if (sandbox === undefined) return undefined;
  const network = sandbox.network ? 'have network access' : 'have no network';
  return `commands can write only to the working directory and /tmp, ${network}`;
}
