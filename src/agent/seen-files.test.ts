import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { verifies } from '../../test/spec/verifies.ts';
import { calling, withAgent } from '../../test/support/agent-fixture.ts';
import type { ModelScript } from '../testing/index.ts';
import { builtInTools } from '../toolbox/index.ts';

verifies(['TOOL-5', 'CTX-11'], 'shows a file again after its text was compressed away', async () => {
  await withReader(async ({ agent, read, write }) => {
    await write('secret of the file\n');
    expect(await read()).toContain('1|secret of the file');
    for (let turn = 0; turn < 4; turn += 1) expect(await read()).toContain('not changed since you last read');
    expect(await agent.compress()).toBeDefined();
    expect(await read()).toContain('1|secret of the file');
    expect(await read()).toContain('not changed since you last read');
  });
});

verifies(['TOOL-5', 'CTX-11'], 'does not show a file again if the result is still in the context', async () => {
  await withReader(async ({ agent, read, write }) => {
    for (let turn = 0; turn < 5; turn += 1) {
      await write(`version ${turn}\n`);
      expect(await read()).toContain(`1|version ${turn}`);
    }
    expect(await agent.compress()).toBeDefined();
    expect(await read()).toContain('not changed since you last read');
  });
});

const numbered = (count: number) =>
  Array.from({ length: count }, (_, index) => `const line${index} = ${index};\n`).join('');

verifies(['TOOL-5', 'CTX-11'], 'shows a changed file as a difference while its text is in the context', async () => {
  await withReader(async ({ agent, read, write }) => {
    await write(numbered(60));
    const whole = await read();
    await write(numbered(61));
    const difference = await read();
    expect(difference).toMatch(/has changed[^]*\n\+const line60 = 60;$/);
    expect(difference?.length).toBeLessThan((whole?.length ?? 0) / 2);
    for (let turn = 0; turn < 4; turn += 1) expect(await read()).toContain('not changed since you last read');
    expect(await agent.compress()).toBeDefined();
    await write(numbered(62));
    expect(await read()).toMatch(/^1\|const line0 = 0;\n[^]*\n62\|const line61 = 61;$/);
  });
});

verifies(['TOOL-5', 'SURF-3'], 'shows a file again in full after the turn that showed it was undone', async () => {
  await withReader(async ({ agent, read, write }) => {
    await write(numbered(60));
    await read();
    await agent.undo();
    await write(numbered(61));
    expect(await read()).toContain('61|const line60 = 60;');
    await write(numbered(62));
    expect(await read()).toContain('+const line61 = 61;');
    await agent.undo();
    // The text that is left does not have line 60 of the undone difference.
    expect(await read()).toContain('62|const line61 = 61;');
  });
});

type Agent = Parameters<Parameters<typeof withAgent>[1]>[0]['agent'];
type Reader = { agent: Agent; read(): Promise<string | undefined>; write(text: string): Promise<void> };

/** An agent whose turns read one file and answer at length. `read` runs a turn and returns the result of the tool. */
async function withReader(check: (reader: Reader) => Promise<void>): Promise<void> {
  let path = '';
  const script: ModelScript = (request) =>
    request.messages.at(-1)?.role === 'user' ? calling('read_file', { path }) : { text: 'y'.repeat(600) };
  await withAgent(
    script,
    async ({ agent, folder }) => {
      path = join(folder, 'a.txt');
      const read = async () => {
        const { messages } = await agent.runConversation({ userMessage: 'read it' });
        return messages.findLast(({ role }) => role === 'tool')?.content;
      };
      await check({ agent, read, write: (text) => writeFile(path, text) });
    },
    { toolList: builtInTools() },
  );
}
