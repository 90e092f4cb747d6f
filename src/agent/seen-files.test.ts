import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { verifies } from '../../test/spec/verifies.ts';
import { calling, echoTool, failing, withAgent } from '../../test/support/agent-fixture.ts';
import type { ModelRequest } from '../contracts/index.ts';
import type { ModelScript } from '../testing/index.ts';
import { builtInTools } from '../toolbox/index.ts';

verifies('TOOL-5', 'a file whose text was cut from the context is shown again', async () => {
  let path = '';
  const reads = (request: ModelRequest) =>
    request.messages.flatMap((message) =>
      message.role === 'tool' && message.toolName === 'read_file' ? message.content : [],
    );
  let step = 0;
  const seen: string[] = [];
  const script: ModelScript = (request) => {
    step += 1;
    if (step <= 2 || step === 20) return calling('read_file', { path });
    if (step < 19) return calling('echo', { text: `${step} ${'x'.repeat(400)}` });
    if (step === 19) return failing('context_overflow', { contextLimit: 4_096, retryable: false });
    seen.push(...reads(request));
    return { text: 'done' };
  };
  const text = `secret of the file\n${'y'.repeat(900)}\n`;
  await withAgent(
    script,
    async ({ agent, folder, store }) => {
      path = join(folder, 'a.txt');
      await writeFile(path, text);
      const parent = agent.sessionId;
      await agent.chat('go');
      const stored = (await store.getConversation(parent)).filter(({ role }) => role === 'tool');
      expect(stored[1]?.content).toContain('unchanged since you read');
      expect(seen.at(-1)).toContain('1|secret of the file');
    },
    { toolList: [...builtInTools(), echoTool] },
  );
});
