import type { ProviderRow } from '../provider-row.ts';

/**
 * Cloud services with their own logins. Their hosts depend on the account or the region, so the base URL only stands
 * for them until the route is opened.
 */
export const CLOUDS: readonly ProviderRow[] = [
  {
    id: 'bedrock',
    name: 'Amazon Bedrock',
    aliases: ['aws', 'amazon-bedrock', 'aws-bedrock'],
    baseUrl: 'https://bedrock-runtime.us-east-1.amazonaws.com',
    authType: 'cloud',
    keyVariables: ['AWS_BEARER_TOKEN_BEDROCK'],
    sharedVariables: ['AWS_BEARER_TOKEN_BEDROCK'],
    defaultModel: 'global.anthropic.claude-sonnet-5',
    auxiliaryModel: 'global.anthropic.claude-haiku-4-5-20251001-v1:0',
    modelListing: { path: false },
    quirks: { cacheMarkers: 'claude' },
    cloud: {
      login: 'aws',
      hosts: /^(?:[\w-]+\.)*bedrock-runtime(?:-fips)?\.[a-z0-9-]+\.(?:vpce\.)?(?:amazonaws\.com(?:\.cn)?|api\.aws)$/,
    },
  },
  {
    id: 'vertex',
    name: 'Google Vertex AI',
    aliases: ['vertex-ai', 'google-vertex', 'vertexai'],
    baseUrl: 'https://aiplatform.googleapis.com/v1',
    apiMode: 'chat_completions',
    authType: 'cloud',
    keyVariables: [],
    defaultModel: 'gemini-3.6-flash',
    auxiliaryModel: 'gemini-3.5-flash-lite',
    modelListing: { path: false },
    quirks: {
      effort: 'gemini',
      documentPart: 'image_url',
      publisher: 'google',
      callPath: { streamed: '/endpoints/openapi/chat/completions', whole: '/endpoints/openapi/chat/completions' },
    },
    modelRules: [
      {
        models: ['claude-'],
        apiMode: 'anthropic_messages',
        quirks: {
          effort: 'anthropic',
          authHeader: 'bearer',
          anthropicVersion: 'vertex-2023-10-16',
          callPath: {
            streamed: '/publishers/anthropic/models/{model}:streamRawPredict',
            whole: '/publishers/anthropic/models/{model}:rawPredict',
          },
        },
      },
    ],
    cloud: {
      login: 'google',
      hosts: /^(?:(?:[a-z0-9-]+-)?aiplatform|aiplatform\.[a-z0-9-]+\.rep)\.googleapis\.com$/,
    },
  },
  {
    id: 'azure',
    name: 'Azure OpenAI',
    aliases: ['azure-openai', 'azure-foundry', 'microsoft-foundry'],
    baseUrl: 'https://openai.azure.com/openai/v1',
    apiMode: 'chat_completions',
    authType: 'cloud',
    keyVariables: ['AZURE_OPENAI_API_KEY', 'AZURE_API_KEY'],
    sharedVariables: ['AZURE_OPENAI_API_KEY', 'AZURE_API_KEY'],
    modelListing: { path: false },
    quirks: { authHeader: 'api-key', outputLimitParameter: 'max_completion_tokens', systemRole: 'system' },
    cloud: {
      login: 'azure',
      hosts: /^[a-z0-9-]+\.(?:openai|cognitiveservices|services\.ai)\.azure\.(?:com|us|cn)$/,
      generalKey: true,
    },
  },
];
