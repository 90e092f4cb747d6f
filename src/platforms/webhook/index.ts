export { createWebhookChannel, type ForwardedMessage, type WebhookChannelOptions } from './webhook-channel.ts';
