import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { verifies } from '../../test/spec/verifies.ts';
import type { AssistantMessage, JsonObject, Message } from '../base/index.ts';
import type { ApiMode, ModelAnswer } from '../contracts/index.ts';
import { PROVIDERS } from '../providers/index.ts';
import { findHistoryFaults } from '../testing/index.ts';
import { isLayout } from './answer-layout.ts';
import { createModelClient } from './model-client.ts';
import type { ModelQuirks } from './model-quirks.ts';

// The second request of each recorded conversation: the response is sent back with its tool results in the form that
// the provider expects.

const FOLDER = join(import.meta.dirname, '../../test/recordings');
const MODES: Record<string, ApiMode> = {
  chat: 'chat_completions',
  anthropic: 'anthropic_messages',
  responses: 'codex_responses',
  ollama: 'ollama_chat',
};

type Recorded = { name: string; apiMode: ApiMode; quirks: ModelQuirks; answer: ModelAnswer };

const RECORDED = readdirSync(FOLDER)
  .filter((file) => file.endsWith('.json'))
  .flatMap((file): Recorded[] => {
    const { answer } = JSON.parse(readFileSync(join(FOLDER, file), 'utf8')) as { answer?: ModelAnswer };
    const [mode = '', provider] = file.split('-');
    const quirks = PROVIDERS.find((row) => row.id === provider)?.quirks ?? {};
    const apiMode = MODES[mode];
    if (!answer?.toolCalls.length || apiMode === undefined) return [];
    return [{ name: file.replace('.json', ''), apiMode, quirks, answer }];
  });

function continued({ apiMode, quirks, answer }: Recorded): { body: JsonObject; text: string } {
  const client = createModelClient({ apiMode, quirks, baseUrl: 'https://h.example/v1', model: 'm', stallTimeoutMs: 1 });
  const { text, usage: _, cost: __, ...rest } = answer;
  const said: AssistantMessage = { role: 'assistant', content: text, ...rest, producer: client.producer };
  const results = answer.toolCalls.map(
    (call): Message => ({ role: 'tool', toolCallId: call.id, toolName: call.name, content: 'result' }),
  );
  const messages: Message[] = [{ role: 'user', content: 'go' }, said, ...results];
  const prepared = client.prepare({ system: 'S', messages, tools: [], toolChoice: 'auto', stream: true });
  return { body: JSON.parse(prepared.body) as JsonObject, text: prepared.body };
}

/** Fields that must be sent back unchanged. */
function nativeParts({ apiMode, quirks, answer }: Recorded): unknown[] {
  const details = apiMode === 'codex_responses' ? answer.codexReasoningItems : answer.reasoningDetails;
  const plain = quirks.reasoningField !== undefined || apiMode === 'ollama_chat' ? [answer.reasoning] : [];
  const blocks = (details ?? []).filter((detail) => !isLayout(detail));
  return [...blocks, ...plain, ...answer.toolCalls.map((call) => call.extraContent)].filter(Boolean);
}

describe('continuing a recorded conversation', () => {
  for (const recorded of RECORDED) {
    verifies(['CALL-1', 'REQ-3'], `${recorded.name}: sends a history that the provider accepts`, () => {
      const { body, text } = continued(recorded);
      expect(findHistoryFaults(recorded.apiMode, body)).toEqual([]);
      for (const part of nativeParts(recorded)) expect(text).toContain(JSON.stringify(part));
    });
  }

  verifies(
    ['REQ-3', 'PROV-6'],
    'returns thought signatures to Gemini, reasoning to DeepSeek and encrypted items to Codex',
    () => {
      const find = (name: string) => continued(RECORDED.find((each) => each.name === name) as Recorded).text;
      expect(find('chat-gemini-signature')).toContain(
        '"extra_content":{"google":{"thought_signature":"CpcBAXLI2nyk+/sig=="}}',
      );
      expect(find('chat-deepseek-thinking-calls')).toContain('"reasoning_content":"Need the file."');
      expect(find('responses-codex-calls')).toContain('"encrypted_content":"gAAAA-two"');
      expect(find('anthropic-minimax-thinking-calls')).toContain('"signature":"9f8e"');
    },
  );
});
