import type { JsonObject } from '../../base/index.ts';
import type { ChannelCommand } from '../../contracts/index.ts';

const MAX_COMMANDS = 100;
const MAX_DESCRIPTION = 256;

/**
 * The commands as Telegram allows them: lower case, with underscores. `names` has the original name of each that was
 * changed.
 */
export function commandMenu(commands: readonly ChannelCommand[]): {
  commands: JsonObject[];
  names: ReadonlyMap<string, string>;
} {
  const names = new Map<string, string>();
  const menu: JsonObject[] = [];
  for (const { name, description } of commands) {
    const command = name.toLowerCase().replaceAll('-', '_');
    const text = description.slice(0, MAX_DESCRIPTION).toWellFormed().trim();
    if (!/^[a-z0-9_]{1,32}$/.test(command) || names.has(command) || text === '') continue;
    names.set(command, name);
    if (menu.length < MAX_COMMANDS) menu.push({ command, description: text });
  }
  return { commands: menu, names };
}
