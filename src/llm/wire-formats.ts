import type { ApiMode } from '../contracts/index.ts';
import { anthropicMessages } from './anthropic-messages/index.ts';
import { chatCompletions } from './chat-completions/index.ts';
import { ollamaChat } from './ollama-chat/index.ts';
import { codexResponses } from './responses/index.ts';
import type { WireFormat } from './wire-format.ts';

/** The implementation of each API mode. */
export const WIRE_FORMATS: Readonly<Record<ApiMode, WireFormat>> = {
  chat_completions: chatCompletions,
  codex_responses: codexResponses,
  anthropic_messages: anthropicMessages,
  ollama_chat: ollamaChat,
};
