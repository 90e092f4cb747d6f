/** A line as it is typed: the name in small letters, and all that stands behind it. */
export type SlashLine = { name: string; argument: string };

export function isSlashCommand(line: string): boolean {
  // A path such as /etc/hosts is not a command. Skills have digits, hyphens and dots in their names.
  return /^\/(?:\?|[a-z0-9][a-z0-9._-]*)(?:\s|$)/i.test(line);
}

export function readSlashLine(line: string): SlashLine {
  const [name = ''] = line.slice(1).split(/\s/, 1);
  return { name: name.toLowerCase(), argument: line.slice(1 + name.length).trim() };
}
