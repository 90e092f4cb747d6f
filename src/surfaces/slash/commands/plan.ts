import type { SlashContext } from '../slash-context.ts';

const IS_ON =
  'Plan mode is on: only read-only tools run. Hermes ends it with a plan that you approve, edit or reject; /plan off ends it without one.\n';
const IS_OFF = 'Plan mode is off: tools that change something run again, with the usual approvals.\n';

/** `/plan` turns plan mode on or off, `/plan on` and `/plan off` say which, `/plan REQUEST` turns it on and sends the request. */
export async function planCommand({ session, turns, style, print }: SlashContext, argument: string): Promise<void> {
  const { choices } = session.opened();
  const wanted = argument.toLowerCase();
  choices.plan = wanted === '' ? !choices.plan : wanted !== 'off';
  print(choices.plan ? style.yellow(IS_ON) : IS_OFF);
  if (['', 'on', 'off'].includes(wanted)) return undefined;
  return turns.isRunning() ? turns.queue(argument) : turns.send(argument);
}
