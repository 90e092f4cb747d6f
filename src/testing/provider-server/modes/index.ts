import type { ApiMode } from '../../../contracts/index.ts';
import type { WireMode } from '../wire.ts';
import { anthropicErrorBody, ollamaErrorBody, openaiError } from '../wire-errors.ts';
import { encodeAnthropicStream, encodeAnthropicWhole } from './anthropic-messages-encode.ts';
import { readAnthropic } from './anthropic-messages-read.ts';
import { encodeChatStream, encodeChatWhole } from './chat-completions-encode.ts';
import { readChat } from './chat-completions-read.ts';
import { encodeOllamaStream, encodeOllamaWhole } from './ollama-chat-encode.ts';
import { readOllama } from './ollama-chat-read.ts';
import { encodeResponsesErrorEvents, encodeResponsesStream, encodeResponsesWhole } from './responses-encode.ts';
import { readResponses } from './responses-read.ts';

export const WIRE_MODES: Readonly<Record<ApiMode, WireMode>> = {
  chat_completions: {
    apiMode: 'chat_completions',
    pathEnd: '/chat/completions',
    read: readChat,
    encodeWhole: encodeChatWhole,
    encodeStream: encodeChatStream,
    errorBody: (error) => ({ error: openaiError(error) }),
    errorEvents: (error) => [{ data: { error: openaiError(error) } }],
  },
  codex_responses: {
    apiMode: 'codex_responses',
    pathEnd: '/responses',
    read: readResponses,
    encodeWhole: encodeResponsesWhole,
    encodeStream: encodeResponsesStream,
    errorBody: (error) => ({ error: openaiError(error) }),
    errorEvents: (error, context) => encodeResponsesErrorEvents(openaiError(error), context),
  },
  anthropic_messages: {
    apiMode: 'anthropic_messages',
    pathEnd: '/messages',
    read: readAnthropic,
    encodeWhole: encodeAnthropicWhole,
    encodeStream: encodeAnthropicStream,
    errorBody: anthropicErrorBody,
    errorEvents: (error) => [{ event: 'error', data: anthropicErrorBody(error) }],
  },
  ollama_chat: {
    apiMode: 'ollama_chat',
    pathEnd: '/api/chat',
    framing: 'ndjson',
    read: readOllama,
    encodeWhole: encodeOllamaWhole,
    encodeStream: encodeOllamaStream,
    errorBody: ollamaErrorBody,
    errorEvents: (error) => [{ data: ollamaErrorBody(error) }],
  },
};
