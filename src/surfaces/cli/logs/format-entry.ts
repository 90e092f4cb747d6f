import type { JsonValue } from '../../../base/index.ts';
import { localTime, redactSecrets } from '../../../util/index.ts';
import { showable, type Style } from '../style.ts';
import type { LogEntry } from './log-entry.ts';

/** One line for a person. Older files may have been written by programs that do not take out secrets. */
export function formatEntry(entry: LogEntry, style: Style): string {
  const paints = { debug: style.dim, info: style.cyan, warn: style.yellow, error: style.red };
  const time = entry.at === undefined ? '' : `${style.dim(withSeconds(entry.at))} `;
  const level = paints[entry.level](entry.level.toUpperCase().padEnd(5));
  const fields = Object.entries(entry.fields)
    .filter(([name]) => name !== 'stack')
    .map(([name, value]) => ` ${style.dim(`${plain(name)}=`)}${plain(formatField(value))}`);
  const session = entry.sessionId === undefined ? '' : ` ${style.dim(`session=${plain(entry.sessionId)}`)}`;
  return `${time}${level} ${plain(entry.message)}${fields.join('')}${session}\n`;
}

function withSeconds(at: number): string {
  return `${localTime(at)}:${String(new Date(at).getSeconds()).padStart(2, '0')}`;
}

function formatField(value: JsonValue): string {
  return typeof value === 'string' && /^[^\s"=]+$/.test(value) ? value : JSON.stringify(value);
}

function plain(text: string): string {
  return showable(redactSecrets(text));
}
