import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { verifies } from '../../test/spec/verifies.ts';
import { calling, withAgent } from '../../test/support/agent-fixture.ts';
import type { ModelScript } from '../testing/index.ts';
import { builtInTools } from '../toolbox/index.ts';

verifies(['TOOL-5', 'CTX-11'], 'shows a file again after its text was compressed away', async () => {
  let path = '';
  const script: ModelScript = (request) =>
    request.messages.at(-1)?.role === 'user' ? calling('read_file', { path }) : { text: 'y'.repeat(600) };
  await withAgent(
    script,
    async ({ agent, folder }) => {
      path = join(folder, 'a.txt');
      await writeFile(path, 'secret of the file\n');
      const read = async () => {
        const { messages } = await agent.runConversation({ userMessage: 'read it' });
        return messages.findLast(({ role }) => role === 'tool')?.content;
      };
      expect(await read()).toContain('1|secret of the file');
      for (let turn = 0; turn < 4; turn += 1) expect(await read()).toContain('not changed since you last read');
      expect(await agent.compress()).toBeDefined();
      expect(await read()).toContain('1|secret of the file');
      expect(await read()).toContain('not changed since you last read');
    },
    { toolList: builtInTools() },
  );
});
