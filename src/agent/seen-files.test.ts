import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { verifies } from '../../test/spec/verifies.ts';
import { calling, readEvents, routeTo, withAgent, withRoutes } from '../../test/support/agent-fixture.ts';
import { createContextEngine, createTokenMeter } from '../context/index.ts';
import { silentLogger } from '../contracts/index.ts';
import { createFakeClock, createScriptedModel, type ModelScript } from '../testing/index.ts';
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

verifies(['CTX-13', 'TOOL-5'], 'never refers to a result that was cleared, and shows its file again', async () => {
  const file = (index: number) => `${index}.txt`;
  // Reads the first file twice, then so many others that its result is cleared, and then the first one again.
  const order = [0, 0, ...Array.from({ length: 14 }, (_, index) => index + 1), 0];
  let folderPath = '';
  let step = 0;
  const script: ModelScript = () => {
    const index = order[step];
    step += 1;
    return index === undefined ? { text: 'done' } : calling('read_file', { path: join(folderPath, file(index)) });
  };
  const context = createContextEngine({}, { auxiliary: undefined, logger: silentLogger, clock: createFakeClock() });
  const model = createScriptedModel(script);
  await withRoutes(
    [routeTo(model, { contextLength: 16_000 })],
    async ({ agent, folder }) => {
      folderPath = folder;
      const text = (index: number) => `text of file ${index}\n${'one more line\n'.repeat(150)}`;
      for (const index of new Set(order)) await writeFile(join(folder, file(index)), text(index));
      const { events, result } = await readEvents(agent.run({ userMessage: 'read them' }));
      const compressed = events.filter((event) => event.type === 'compressed');
      expect(compressed[0]).toMatchObject({ by: 'none', why: 'old tool results were cleared' });
      const results = result.messages.filter((message) => message.role === 'tool').map(({ content }) => content);
      expect(results[0]).toMatch(/omitted to save context/);
      expect(results[1]).toMatch(
        /not changed since.*\[The earlier result was omitted to save context\. Read the file/s,
      );
      expect(results.at(-1)).toContain('1|text of file 0');
    },
    { context, meter: createTokenMeter(), toolList: builtInTools() },
  );
});
