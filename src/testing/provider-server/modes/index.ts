import type { ApiMode } from '../../../contracts/index.ts';
import { anthropicErrorBody, ollamaErrorBody, openaiError, type WireMode } from '../wire.ts';
import { encodeAnthropicStream, encodeAnthropicWhole, readAnthropic } from './anthropic-messages.ts';
import { encodeChatStream, encodeChatWhole, readChat } from './chat-completions.ts';
import { encodeOllamaStream, encodeOllamaWhole, readOllama } from './ollama-chat.ts';
import { encodeResponsesErrorEvents, encodeResponsesStream, encodeResponsesWhole, readResponses } from './responses.ts';

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
