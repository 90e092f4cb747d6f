import { showable } from '../../text/style.ts';
import type { SlashContext } from '../slash-context.ts';

/** `/steer TEXT`: to the turn that runs, else the next message. Words are never lost. */
export async function steerCommand({ turns, style, print }: SlashContext, text: string): Promise<void> {
  if (text === '') return print('/steer TEXT hands words to the turn that runs.\n');
  if (turns.steer(text)) return print(style.dim('Handed on with the next step.\n'));
  if (!turns.isRunning()) return turns.send(text);
  turns.queue(text);
  print(style.dim('What runs takes nothing more; it is the next message.\n'));
}

/** `/queue TEXT` keeps a message until the turn is over, `/queue` shows what waits. */
export async function queueCommand({ turns, style, print }: SlashContext, text: string): Promise<void> {
  if (text !== '' && !turns.isRunning()) return turns.send(text);
  if (text !== '') {
    turns.queue(text);
    return print(style.dim(`It waits for the turn to end, as number ${turns.waiting().length}.\n`));
  }
  const waiting = turns.waiting().map((line, index) => `  ${index + 1}. ${showable(line)}\n`);
  print(waiting.length === 0 ? 'Nothing waits.\n' : waiting.join(''));
}
