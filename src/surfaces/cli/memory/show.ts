import { loadSettings, resolveHome } from '../../../config/index.ts';
import type { MemoryTarget } from '../../../contracts/index.ts';
import { reportMemories } from '../../../runtime/memory/index.ts';
import { memoryText } from '../../text/memory-text.ts';
import type { CliIo } from '../cli-io.ts';
import { writeJson } from '../sessions/write-json.ts';

export async function showMemory(
  target: MemoryTarget | undefined,
  { json }: { json?: boolean },
  io: CliIo,
): Promise<number> {
  const settings = await loadSettings({ home: resolveHome(io.env), env: io.env });
  if (json) writeJson(io.stdout, { memories: await reportMemories(settings, target && [target]) });
  else io.stdout.write(await memoryText(settings, target && [target]));
  return 0;
}
