import { describeChain } from '../../../runtime/index.ts';
import { printable } from '../../text/style.ts';
import { formatPairs } from '../../text/table.ts';
import type { SlashContext } from '../slash-context.ts';

/** `/approve` and `/deny` without an open question. The chat answers open questions before it looks for commands. */
export function nothingToDecideCommand({ print }: SlashContext): void {
  print('Nothing is waiting for approval.\n');
}

/** `/whoami`. */
export function whoamiCommand({ chat, actor, print }: SlashContext): void {
  print(formatPairs([...(chat?.describe() ?? []), ['role', actor.role]]));
}

/** `/provider`. */
export function providerCommand({ session, print }: SlashContext): void {
  print(`${printable(describeChain(session.opened().models.routes()))}\n`);
}

/** `/profile`. */
export function profileCommand({ runtime, print }: SlashContext): void {
  print(`Home: ${printable(runtime.blueprint.settings.home)}\n`);
}

/** `/platform`. */
export function platformCommand({ chat, print }: SlashContext): void {
  print(formatPairs([...(chat?.platforms() ?? [])]));
}

const PAGE = 25;

/** `/commands [PAGE]`: all commands that the sender may run, then all skills. */
export async function commandsCommand(context: SlashContext, argument: string): Promise<void> {
  const { registry, surface, runtime, print } = context;
  const { skills } = await runtime.skills().inventory();
  const lines = [
    ...registry.listCommands(surface).map(({ name, about }) => `/${name}: ${about}`),
    ...skills.map(({ name, description }) => `/${printable(name)}: ${printable(description)} (skill)`),
  ];
  const pages = Math.max(1, Math.ceil(lines.length / PAGE));
  const page = argument === '' ? 1 : Number(argument);
  if (!Number.isInteger(page) || page < 1 || page > pages)
    return print(`Usage: /commands [PAGE]. There are ${pages} pages.\n`);
  const shown = lines.slice((page - 1) * PAGE, page * PAGE);
  const more = page < pages ? `\nPage ${page} of ${pages}; /commands ${page + 1} shows the next one.` : '';
  print(`${shown.join('\n')}${more}\n`);
}

/** `/sethome`. */
export async function setHomeCommand({ chat, print }: SlashContext): Promise<void> {
  const id = await chat?.makeHome();
  if (id !== undefined) print(`This chat (${printable(id)}) is now the home channel of its platform.\n`);
}
