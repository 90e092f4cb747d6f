/** Facts about where the agent works. */
export type Workplace = { workingDirectory: string; platform: string; shell: string };

/** `notes` are what is special about the machine, such as that it is a container. */
export function environmentLayer(workplace: Workplace, branch: string | undefined, notes: readonly string[]): string {
  const lines = [
    `Working directory: ${workplace.workingDirectory}`,
    `System: ${[workplace.platform, ...notes].join(', ')}; shell: ${workplace.shell}`,
  ];
  if (branch !== undefined) lines.push(`Git branch at the start: ${branch}`);
  return lines.join('\n');
}
